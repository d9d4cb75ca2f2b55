package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.Publisher;
import dev.onceward.engine.Choices.Of;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.TimeoutException;

/** A producer of dead letters, whose copies the verdicts know. */
final class SimPublisher implements Publisher {
    static final String TOPIC = "dlq";

    private final Simulation simulation;
    private final SimWorker worker;
    private final Verdicts verdicts;
    private final Bug bug;
    private final Deque<Task> tasks = new ArrayDeque<>();
    private boolean started;
    private boolean closed;

    SimPublisher(Simulation simulation, SimWorker worker, Verdicts verdicts, Bug bug) {
        this.simulation = simulation;
        this.worker = worker;
        this.verdicts = verdicts;
        this.bug = bug;
    }

    @Override
    public CompletableFuture<PublishedAt> publish(DeadLetter letter, ConsumerRecord<byte[], byte[]> record) {
        CompletableFuture<PublishedAt> answer = new CompletableFuture<>();
        if (closed) {
            answer.completeExceptionally(new IllegalStateException("closed"));
            return answer;
        }
        if (!started) {
            started = true;
            simulation.thread(worker, worker.name + "-producer", this::work).start();
        }
        tasks.add(new Task(letter, answer));
        return answer;
    }

    private void work() {
        while (true) {
            simulation.await("letters", () -> !tasks.isEmpty() || closed, Simulation.NEVER);
            Task task = tasks.pollFirst();
            if (task == null) {
                return;
            }
            send(task);
        }
    }

    private void send(Task task) {
        simulation.point("publish");
        if (bug == Bug.ACK_NOT_AWAITED) {
            task.answer.complete(new PublishedAt(TOPIC, 0, verdicts.nextCopy()));
        }
        simulation.pass("publish", simulation.fault(8) ? 3_000_000_000L : 5_000_000L);
        if (worker.withoutPublisherUntil > simulation.now() || simulation.fault(8)) {
            simulation.tell(() -> "not published: " + task.letter.record().coordinates());
            task.answer.completeExceptionally(new TimeoutException("no answer"));
            return;
        }
        long offset = verdicts.published(task.letter);
        simulation.tell(() -> "published: " + task.letter.record().coordinates() + " at " + offset);
        if (simulation.fault(10)) {
            simulation.choices.upTo(Of.FAULT, 1);
            task.answer.completeExceptionally(new TimeoutException("the answer is lost"));
        } else {
            simulation.point("published");
            task.answer.complete(new PublishedAt(TOPIC, 0, offset));
        }
    }

    @Override
    public Optional<String> trouble() {
        return Optional.empty();
    }

    @Override
    public void forget(String topic, int partition) {
        // it keeps no troubles
    }

    @Override
    public void close(Duration timeout) {
        simulation.point("close the publisher");
        simulation.await("letters are out", tasks::isEmpty, simulation.now() + timeout.toNanos());
        closed = true;
        for (Task task = tasks.pollFirst(); task != null; task = tasks.pollFirst()) {
            task.answer.completeExceptionally(new IllegalStateException("closed"));
        }
    }

    private record Task(DeadLetter letter, CompletableFuture<PublishedAt> answer) {}
}
