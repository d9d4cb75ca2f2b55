package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.testsupport.ChildKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands whose Kafka goes away under them: a broker of their own, killed. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class LostKafkaIT {
    private static ChildKafka kafka;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        kafka = ChildKafka.start();
    }

    @AfterAll
    static void close() {
        kafka.close();
    }

    @Test
    void aReplayCutShortTellsWhatWasSentAndExitsAsWithoutAConnection() throws Exception {
        try (Payments payments = new Payments(2, kafka)) {
            payments.deadLetters(300, 20);
            payments.stopWorkers();

            Background replay = new Background(impatient(payments), "replay", "--all", "--yes", "--rate", "30/s");
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'") >= 20);
            kafka.kill();

            assertThat(replay.exitCode()).as(replay.err()).isEqualTo(3);
            long marked = payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'");
            assertThat(marked).isBetween(20L, 299L);
            assertThat(replay.out()).contains(marked + " messages sent to " + payments.replayTopic);
            assertThat(replay.err()).contains("Run the same command again to go on");
            assertThat(payments.texts("SELECT outcome || ' ' || done FROM dlq_actions"))
                    .isEqualTo(List.of("PARTLY " + marked));

            kafka.restart();
            payments.startWorker();
            assertThat(payments.dlq("replay", "--all", "--yes").exitCode()).isZero();
            Payments.await()
                    .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'RESOLVED'") == 300);
            assertThat(payments.entries()).isEqualTo(300);
            assertThat(payments.distinctEntries()).isEqualTo(300);
        }
    }

    @Test
    void aWatchGoesOnWhenKafkaIsBack() throws Exception {
        try (Payments payments = new Payments(2, kafka)) {
            payments.startWorker();
            payments.send("account", "m0", "1");
            payments.flush();
            Payments.await().until(() -> payments.entries() == 1);
            payments.stopWorkers();

            Background watch = new Background(impatient(payments), "age", "--watch", "1");
            Payments.await().until(() -> watch.tables() > 1);
            kafka.kill();
            Payments.await().until(() -> watch.err().contains("Cannot connect to Kafka"));
            kafka.restart();
            int before = watch.tables();
            Payments.await().until(() -> watch.tables() > before);
            assertThat(watch.stop()).isZero();
        }
    }

    /** Gives up within seconds. */
    private Map<String, String> impatient(Payments payments) throws IOException {
        Path file = Files.writeString(
                directory.resolve("client.properties"),
                "request.timeout.ms=1000\ndefault.api.timeout.ms=3000\ndelivery.timeout.ms=3000\n");
        Map<String, String> environment = payments.environment();
        environment.put("DLQ_COMMAND_CONFIG", file.toString());
        return environment;
    }
}
