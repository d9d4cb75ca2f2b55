package dev.onceward.metrics;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConfigurationException;
import dev.onceward.handler.FailureClass;
import dev.onceward.metrics.RuntimeMeters.Outcome;
import dev.onceward.metrics.RuntimeMeters.PartitionGauges;
import dev.onceward.metrics.RuntimeMeters.WorkerGauges;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RuntimeMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RuntimeMeters meters = new RuntimeMeters(registry, "billing");

    private RequiredSearch find(MeterNames name, String... tags) {
        return registry.get(name.meter()).tag("consumer", "billing").tags(tags);
    }

    private double count(MeterNames name, String... tags) {
        return find(name, tags).counter().count();
    }

    private double gauge(MeterNames name, String... tags) {
        return find(name, tags).gauge().value();
    }

    @Test
    void everyMeterOfTheCatalogueIsFedAndHasItsTags() {
        feedEverything();

        assertThat(registry.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .collect(toSet()))
                .isEqualTo(Arrays.stream(MeterNames.values())
                        .map(MeterNames::meter)
                        .collect(toSet()));
        for (Meter meter : registry.getMeters()) {
            MeterNames name = Arrays.stream(MeterNames.values())
                    .filter(each -> each.meter().equals(meter.getId().getName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(meter.getId().getTags().stream().map(Tag::getKey))
                    .containsExactlyInAnyOrderElementsOf(
                            name.tags().stream().map(MeterNames.Tag::key).toList());
            assertThat(meter.getId().getDescription()).isEqualTo(name.description());
            assertThat(meter.getId().getType().name())
                    .isEqualTo(
                            name.type() == MeterNames.Type.SUMMARY
                                    ? "DISTRIBUTION_SUMMARY"
                                    : name.type().name());
            if (!name.unit().isEmpty()) {
                assertThat(meter.getId().getBaseUnit()).isEqualTo(name.unit());
            }
        }
    }

    private void feedEverything() {
        meters.finished("orders", Outcome.APPLIED, 3);
        meters.worker(new FixedWorker());
        meters.partition("orders", 0, new FixedGauges(1, 2, 3));
        meters.tableSize("processed_messages", () -> 8192);
    }

    @Test
    void messagesAreCountedByOutcome() {
        meters.finished("orders", Outcome.APPLIED, 3);
        meters.finished("orders", Outcome.APPLIED, 2);
        meters.finished("orders", Outcome.DUPLICATE, 1);
        meters.finished("payments", Outcome.APPLIED, 7);

        assertThat(count(MeterNames.MESSAGES, "topic", "orders", "outcome", "APPLIED"))
                .isEqualTo(5);
        assertThat(count(MeterNames.MESSAGES, "topic", "orders", "outcome", "DUPLICATE"))
                .isEqualTo(1);
        assertThat(count(MeterNames.MESSAGES, "topic", "orders", "outcome", "DEAD_LETTERED"))
                .isEqualTo(0);
        assertThat(count(MeterNames.MESSAGES, "topic", "payments", "outcome", "APPLIED"))
                .isEqualTo(7);
    }

    @Test
    void failuresAreCountedByClassAndReason() {
        meters.attempt("orders", FailureClass.TRANSIENT);
        meters.attempt("orders", FailureClass.CONTENTION);
        meters.attempt("orders", FailureClass.TRANSIENT);
        meters.deadLetter("orders", DeadLetterReason.ATTEMPTS_EXHAUSTED);
        meters.deadLetterUnpublished("orders");
        meters.retrySucceeded("orders");
        meters.recordsLost("orders", 40);

        assertThat(count(MeterNames.ATTEMPTS_FAILED, "topic", "orders", "reason", "TRANSIENT"))
                .isEqualTo(2);
        assertThat(count(MeterNames.ATTEMPTS_FAILED, "topic", "orders", "reason", "CONTENTION"))
                .isEqualTo(1);
        assertThat(count(MeterNames.DEAD_LETTERS, "topic", "orders", "reason", "ATTEMPTS_EXHAUSTED"))
                .isEqualTo(1);
        assertThat(count(MeterNames.DEAD_LETTERS, "topic", "orders", "reason", "PERMANENT"))
                .isEqualTo(0);
        assertThat(count(MeterNames.DEAD_LETTERS_UNPUBLISHED, "topic", "orders"))
                .isEqualTo(1);
        assertThat(count(MeterNames.RETRIES_SUCCEEDED, "topic", "orders")).isEqualTo(1);
        assertThat(count(MeterNames.RECORDS_LOST, "topic", "orders")).isEqualTo(40);
    }

    @Test
    void whatConcernsTheWorkerIsThereBeforeItHappens() {
        assertThat(count(MeterNames.FENCED)).isZero();
        meters.fenced();
        meters.unknownCommit();
        meters.contention();
        meters.stuckHandler();
        meters.clockSkew();
        meters.pruned(500);
        meters.takeover(true);
        meters.takeover(false);
        meters.takeover(false);

        assertThat(List.of(MeterNames.FENCED, MeterNames.UNKNOWN_COMMITS, MeterNames.CONTENTION))
                .allMatch(name -> count(name) == 1);
        assertThat(List.of(MeterNames.HANDLERS_STUCK, MeterNames.CLOCK_SKEW)).allMatch(name -> count(name) == 1);
        assertThat(count(MeterNames.CLAIMS_PRUNED)).isEqualTo(500);
        assertThat(count(MeterNames.TAKEOVERS, "outcome", "UNCLEAN")).isEqualTo(1);
        assertThat(count(MeterNames.TAKEOVERS, "outcome", "CLEAN")).isEqualTo(2);
    }

    @Test
    void timesAndSizesAreMeasured() {
        meters.group(40, TimeUnit.MILLISECONDS.toNanos(12));
        meters.handlerTime("orders", TimeUnit.MILLISECONDS.toNanos(3));
        meters.endToEnd("orders", 250);

        assertThat(find(MeterNames.GROUP_SIZE).summary().totalAmount()).isEqualTo(40);
        assertThat(find(MeterNames.TRANSACTION).timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(12);
        assertThat(find(MeterNames.HANDLER).timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(3);
        assertThat(find(MeterNames.END_TO_END).timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
    }

    @Test
    void aLatencyBelowZeroIsZeroAndCountedAsSkew() {
        meters.endToEnd("orders", -5);

        assertThat(find(MeterNames.END_TO_END).timer().count()).isEqualTo(1);
        assertThat(find(MeterNames.END_TO_END).timer().totalTime(TimeUnit.MILLISECONDS))
                .isZero();
        assertThat(count(MeterNames.CLOCK_SKEW)).isEqualTo(1);
    }

    @Test
    void gaugesAreReadAtEachScrape() {
        AtomicReference<Double> age = new AtomicReference<>(1.5);
        meters.partition("orders", 3, new PartitionGauges() {
            @Override
            public double oldestAgeSeconds() {
                return age.get();
            }

            @Override
            public double lag() {
                return 9;
            }

            @Override
            public int inFlight() {
                return 4;
            }
        });

        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "topic", "orders", "partition", "3"))
                .isEqualTo(1.5);
        age.set(61.5);
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "topic", "orders", "partition", "3"))
                .isEqualTo(61.5);
        age.set(-2.0);
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "topic", "orders", "partition", "3"))
                .isZero();
        age.set(Double.NaN); // unknown is not 0
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "topic", "orders", "partition", "3"))
                .isNaN();
        assertThat(gauge(MeterNames.LAG, "topic", "orders", "partition", "3")).isEqualTo(9);
        assertThat(gauge(MeterNames.PARTITION_IN_FLIGHT, "topic", "orders", "partition", "3"))
                .isEqualTo(4);
    }

    @Test
    void gaugesSurviveAGarbageCollection() {
        meters.partition("orders", 0, new FixedGauges(7, 8, 9)); // nobody else holds it
        System.gc();
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "partition", "0")).isEqualTo(7);
    }

    @Test
    void seriesOfAPartitionGoWithIt() {
        meters.partition("orders", 0, new FixedGauges(1, 1, 1));
        meters.partition("orders", 1, new FixedGauges(2, 2, 2));
        meters.partitionGone("orders", 0);
        meters.partitionGone("orders", 0);

        assertThat(registry.find(MeterNames.OLDEST_MESSAGE_AGE.meter())
                        .tag("partition", "0")
                        .gauge())
                .isNull();
        assertThat(registry.find(MeterNames.LAG.meter()).gauges()).hasSize(1);
        assertThat(registry.find(MeterNames.PARTITION_IN_FLIGHT.meter()).gauges())
                .hasSize(1);
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "partition", "1")).isEqualTo(2);
    }

    @Test
    void theNewestGaugesOfAPartitionCount() {
        meters.partition("orders", 0, new FixedGauges(1, 1, 1));
        meters.partition("orders", 0, new FixedGauges(2, 2, 2));
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "partition", "0")).isEqualTo(2);

        meters.partitionGone("orders", 0);
        meters.partition("orders", 0, new FixedGauges(3, 3, 3));
        assertThat(gauge(MeterNames.OLDEST_MESSAGE_AGE, "partition", "0")).isEqualTo(3);
    }

    @Test
    void consumersShareARegistry() {
        RuntimeMeters other = new RuntimeMeters(registry, "shipping");
        meters.finished("orders", Outcome.APPLIED, 1);
        other.finished("orders", Outcome.APPLIED, 10);
        meters.partition("orders", 0, new FixedGauges(1, 1, 1));
        other.partition("orders", 0, new FixedGauges(2, 2, 2));
        meters.close();

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch(meter -> "shipping".equals(meter.getId().getTag("consumer")));
        assertThat(registry.get(MeterNames.OLDEST_MESSAGE_AGE.meter()).gauge().value())
                .isEqualTo(2);
        other.close();
    }

    @Test
    void closingLeavesNothingBehindAndNothingComesBack() {
        feedEverything();
        meters.close();
        assertThat(registry.getMeters()).isEmpty();

        feedEverything();
        meters.finished("late", Outcome.APPLIED, 1);
        meters.partition("late", 0, new FixedGauges(1, 1, 1));
        meters.partitionGone("late", 0);
        meters.fenced();
        meters.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theNumberOfTopicsIsBounded() {
        for (int i = 0; i < RuntimeMeters.MAX_TOPICS + 50; i++) {
            meters.finished("topic-" + i, Outcome.APPLIED, 1);
        }
        assertThat(registry.find(MeterNames.HANDLER.meter()).timers()).hasSize(RuntimeMeters.MAX_TOPICS + 1);
        assertThat(count(MeterNames.MESSAGES, "topic", "other", "outcome", "APPLIED"))
                .isEqualTo(50);
    }

    @Test
    void aSecondRuntimeOfTheConsumerInTheSameRegistryIsRefused() {
        assertThatThrownBy(() -> new RuntimeMeters(registry, "billing"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("another runtime of the consumer billing shows its meters there");
        assertThat(registry.getMeters()).as("the first one's").isNotEmpty();

        meters.close();
        meters.close();
        RuntimeMeters next = new RuntimeMeters(registry, "billing");
        meters.close(); // the closing of the one before takes nothing from the next
        assertThatThrownBy(() -> new RuntimeMeters(registry, "billing")).isInstanceOf(ConfigurationException.class);
        next.close();
    }

    private record FixedGauges(double oldestAgeSeconds, double lag, int inFlight) implements PartitionGauges {}

    private static final class FixedWorker implements WorkerGauges {
        @Override
        public double inFlightMessages() {
            return 1;
        }

        @Override
        public double inFlightBytes() {
            return 2;
        }

        @Override
        public double pausedPartitions() {
            return 3;
        }

        @Override
        public double heldKeys() {
            return 4;
        }

        @Override
        public double busyLanes() {
            return 5;
        }

        @Override
        public double heartbeatAgeSeconds() {
            return 6;
        }

        @Override
        public double outage() {
            return 0;
        }

        @Override
        public double state() {
            return 7;
        }
    }

    @Test
    void theWorkerIsShown() {
        meters.worker(new FixedWorker());

        assertThat(gauge(MeterNames.IN_FLIGHT)).isEqualTo(1);
        assertThat(gauge(MeterNames.IN_FLIGHT_BYTES)).isEqualTo(2);
        assertThat(gauge(MeterNames.PARTITIONS_PAUSED)).isEqualTo(3);
        assertThat(gauge(MeterNames.KEYS_HELD)).isEqualTo(4);
        assertThat(gauge(MeterNames.LANES_BUSY)).isEqualTo(5);
        assertThat(gauge(MeterNames.HEARTBEAT_AGE)).isEqualTo(6);
        assertThat(gauge(MeterNames.OUTAGE)).isZero();
        assertThat(gauge(MeterNames.WORKER_STATE)).isEqualTo(7);
    }
}
