package dev.onceward.deadletter;

import dev.onceward.deadletter.Publisher.PublishedAt;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** One dead letter on its way. */
record PublishTask(
        DeadLetter letter,
        ConsumerRecord<byte[], byte[]> source,
        DiagnosticSize size,
        long submittedNanos,
        CompletableFuture<PublishedAt> answer) {

    PublishTask with(DiagnosticSize smaller) {
        return new PublishTask(letter, source, smaller, submittedNanos, answer);
    }
}
