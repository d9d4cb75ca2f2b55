package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.handler.Coordinates;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Publishes copies of letters again, and waits for the acknowledgements. */
final class CopySender {
    private final Connections connections;
    private final Copies copies;
    private @Nullable Producer<byte[], byte[]> producer;

    CopySender(Connections connections, Copies copies) {
        this.connections = connections;
        this.copies = copies;
    }

    /** All of them, in order; returns when each is acknowledged or has failed. */
    Sending send(List<FileLetter> items, List<ImportDecision> decisions) {
        List<Future<RecordMetadata>> futures = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            futures.add(producer().send(record(items.get(i), decisions.get(i))));
        }
        producer().flush();
        List<Published> published = new ArrayList<>();
        List<Failed> failed = new ArrayList<>();
        RuntimeException failure = null;
        for (int i = 0; i < items.size(); i++) {
            FileLetter item = items.get(i);
            ImportDecision decision = decisions.get(i);
            try {
                published.add(new Published(item, decision, place(item, decision, futures.get(i))));
            } catch (ExecutionException e) {
                if (Connections.isTheRecord(e.getCause())) {
                    failed.add(new Failed(item, "Kafka does not take it: " + message(e)));
                } else if (failure == null) {
                    failure = connections.kafkaFailure(Objects.requireNonNull(e.getCause()));
                }
            }
        }
        return new Sending(published, failed, failure);
    }

    /** A batch fails as a whole, so that what fails is tried once more by itself. */
    private Coordinates place(FileLetter item, ImportDecision decision, Future<RecordMetadata> future)
            throws ExecutionException {
        try {
            return coordinates(future);
        } catch (ExecutionException e) {
            if (!Connections.isTheRecord(e.getCause())) {
                throw e;
            }
            return coordinates(producer().send(record(item, decision)));
        }
    }

    private static Coordinates coordinates(Future<RecordMetadata> future) throws ExecutionException {
        try {
            RecordMetadata metadata = future.get();
            return new Coordinates(metadata.topic(), metadata.partition(), metadata.offset());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptException(e);
        }
    }

    /**
     * The copy as it was. Its timestamp is that of its publication, as a worker's would be: with the old one retention
     * might take it away again before anybody has looked at it.
     */
    private ProducerRecord<byte[], byte[]> record(FileLetter item, ImportDecision decision) {
        Coordinates old = Objects.requireNonNull(
                decision.row() == null ? item.letter().copy() : decision.row().copy());
        ExportLine.Content content = Objects.requireNonNull(item.entry().content());
        Integer partition = old.partition() < copies.partitions(old.topic()) ? old.partition() : null;
        return new ProducerRecord<>(old.topic(), partition, content.key(), content.value(), content.headers());
    }

    private Producer<byte[], byte[]> producer() {
        if (producer == null) {
            producer = connections.newProducer();
        }
        return producer;
    }

    private static String message(ExecutionException e) {
        return e.getCause() instanceof RecordTooLargeException
                ? e.getCause().getMessage()
                        + ". See max.request.size and buffer.memory in the file of --command-config, and"
                        + " max.message.bytes of the topic"
                : String.valueOf(Objects.requireNonNull(e.getCause()).getMessage());
    }

    /**
     * What became of some copies.
     *
     * @param failure what failed and was no record's fault; {@code null}: nothing did. To be thrown when the rest is recorded
     */
    record Sending(
            List<Published> published,
            List<Failed> failed,
            @Nullable RuntimeException failure) {}

    /** One that Kafka does not take. */
    record Failed(FileLetter item, String why) {}
}
