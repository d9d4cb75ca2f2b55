package dev.onceward.dlq.age;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one partition.
 *
 * @param consumer the consumer's name
 * @param group its Kafka group
 * @param offset where its workers are, or would begin; null: not known
 * @param lag offsets from there to the end; more than the messages where offsets are missing (compaction, transactions),
 *     but 0 if none of them is a message; null: not known
 * @param oldest timestamp of the oldest message that is not finished; null: none waits, or not known
 * @param age how long ago that is; zero only if nothing waits or that message is from the future; null: not known
 * @param deadLetters those of this partition that are pending, dead or replayed
 * @param deadLetterAge since when the oldest of these was given up; null: there is none
 * @param note why the age is not known, or why the offset is not Kafka's committed one; else empty
 */
public record PartitionAge(
        String consumer,
        String group,
        String topic,
        int partition,
        @Nullable Long offset,
        @Nullable Long lag,
        @Nullable Instant oldest,
        @Nullable Duration age,
        long deadLetters,
        @Nullable Duration deadLetterAge,
        String note) {}
