package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.PermanentException;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.InProcessKafka;
import dev.onceward.testsupport.KafkaOptions;
import dev.onceward.testsupport.guarantees.DeadLetterOnce;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.proxy.Direction;
import dev.onceward.testsupport.proxy.ProxiedConnection;
import dev.onceward.testsupport.proxy.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Nothing lost: a dead letter is one when the broker has said so, however late it does. */
@Execution(ExecutionMode.SAME_THREAD) // the broker is this class's own, and each test disturbs it
class UnacknowledgedDeadLetterIT {
    private static final String POISON = "a value that is poison";
    private static final String STATUS = "SELECT status FROM dead_letters";

    private static TcpProxy proxy;
    private static InProcessKafka kafka;

    private final AtomicInteger runs = new AtomicInteger();
    private final MessageHandler<String, String> handler = (message, effect) -> {
        if (message.value().equals(POISON)) {
            runs.incrementAndGet();
            beforeItFails();
            throw new PermanentException("never");
        }
        Ledger.HANDLER.handle(message, effect);
    };
    private Runnable failing = () -> {};
    private Ledger ledger;

    @BeforeAll
    static void start() {
        KafkaOptions options = KafkaOptions.defaults()
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true");
        kafka = InProcessKafka.start(options, port -> {
            proxy = TcpProxy.to("127.0.0.1", port);
            return proxy.port();
        });
    }

    @AfterAll
    static void stop() {
        proxy.reset();
        kafka.close();
        proxy.close();
    }

    @BeforeEach
    void begin() {
        ledger = new Ledger(1, Backends.shared().postgres(), kafka.bootstrapServers());
        ledger.send("a", "bad", POISON);
        ledger.send("b", "good", "10");
        ledger.flush();
    }

    @AfterEach
    void end() {
        proxy.reset();
        ledger.close();
    }

    private void beforeItFails() {
        failing.run();
    }

    /** The broker has it, and its answer is on the way. */
    @Test
    void F16_nothingIsCommittedBeforeTheAcknowledgementArrives() {
        CompletableFuture<ProxiedConnection> sent = proxy.afterBytes(
                Direction.TO_SERVER, POISON.getBytes(UTF_8), connection -> connection.stall(Direction.TO_CLIENT));
        ledger.start(handler);
        await().until(sent::isDone);
        await().until(() -> ledger.records(ledger.deadLetterTopic()).size() == 1);
        await().until(() -> ledger.entriesOf("b").size() == 1);
        // Offsets are committed several times in this time.
        await().during(Duration.ofSeconds(2)).untilAsserted(() -> {
            assertThat(ledger.committed()).isZero();
            assertThat(ledger.texts(STATUS)).containsExactly("PENDING");
        });
        sent.join().resume(Direction.TO_CLIENT);

        itIsOneDeadLetter(0);
    }

    /** What the producer gave up was sent all the same: the copy that counts is the one that was acknowledged. */
    @Test
    void F16_anAcknowledgementThatIsLaterThanTheDeliveryTimeoutIsWaitedForByAnotherAttempt() {
        failing = () -> proxy.stall(Direction.TO_CLIENT);
        ConsumerRuntime runtime = ledger.start(
                ledger.consumer()
                        .kafka("producer.delivery.timeout.ms", "2000")
                        .kafka("producer.request.timeout.ms", "1500")
                        .kafka("producer.linger.ms", "0"),
                handler);
        await().untilAsserted(() -> assertThat(runtime.health().troubles())
                .anySatisfy(trouble -> assertThat(trouble).contains("dead letters cannot be published")));
        assertThat(runtime.health().ready()).isFalse();
        assertThat(ledger.texts(STATUS)).containsExactly("PENDING");
        failing = () -> {};
        proxy.reset();

        itIsOneDeadLetter(5);
        await().until(() -> runtime.health().ready());
    }

    @Test
    void F16_whereTheDeadLetterTopicMayNotBeWrittenNothingIsCommittedUntilItMay() throws Exception {
        rule(AclOperation.ALL, AclPermissionType.ALLOW);
        AclBinding denied = rule(AclOperation.WRITE, AclPermissionType.DENY);
        ConsumerRuntime runtime = ledger.start(handler);
        await().untilAsserted(() -> assertThat(runtime.health().troubles())
                .anySatisfy(trouble -> assertThat(trouble)
                        .contains("dead letters cannot be published")
                        .contains("grant WRITE", ledger.deadLetterTopic())));
        assertThat(runtime.health().ready()).isFalse();
        await().until(() -> ledger.entriesOf("b").size() == 1);
        await().during(Duration.ofSeconds(1)).untilAsserted(() -> {
            assertThat(ledger.committed()).isZero();
            assertThat(ledger.texts(STATUS)).containsExactly("PENDING");
        });
        ledger.admin().deleteAcls(List.of(denied.toFilter())).all().get();

        itIsOneDeadLetter(0);
        await().until(() -> runtime.health().ready());
    }

    private void itIsOneDeadLetter(long unnamedCopies) {
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(2));
        assertThat(ledger.texts("SELECT message_id || ' ' || status FROM dead_letters"))
                .containsExactly("bad DEAD");
        Guarantee.assertHeld(DeadLetterOnce.of(ledger.observed()).withUnnamedCopies(unnamedCopies));
        assertThat(ledger.texts("SELECT message_id FROM entries")).containsExactly("good");
        assertThat(runs.get()).as("in a group, and alone").isBetween(1, 2);
    }

    /** The first rule on a resource refuses everybody else, the broker itself included: hence one for all before. */
    private AclBinding rule(AclOperation operation, AclPermissionType permission)
            throws ExecutionException, InterruptedException {
        AclBinding rule = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, ledger.deadLetterTopic(), PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", operation, permission));
        ledger.admin().createAcls(List.of(rule)).all().get();
        await().until(() ->
                ledger.admin().describeAcls(AclBindingFilter.ANY).values().get().contains(rule));
        return rule;
    }
}
