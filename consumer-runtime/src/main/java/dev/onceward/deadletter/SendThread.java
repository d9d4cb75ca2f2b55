package dev.onceward.deadletter;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread with its queue; ends in bounded time whatever its work waits for. */
final class SendThread {
    private static final Logger LOG = LoggerFactory.getLogger(SendThread.class);

    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final Thread thread;
    private final Object gate = new Object();
    private boolean closed; // guarded by gate: nothing is queued behind the end
    private volatile boolean stopped;

    SendThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Queues work; false once closing has begun. */
    boolean submit(Runnable work) {
        synchronized (gate) {
            return !closed && queue.add(work);
        }
    }

    /** Whether the end is reached: work that still runs has nothing more to do than to say so. */
    boolean isStopped() {
        return stopped;
    }

    /** Lets the queue run empty, but not longer than this; false if closing had begun before. */
    boolean close(Duration timeout) {
        synchronized (gate) {
            if (closed) {
                return false;
            }
            closed = true;
            queue.add(() -> stopped = true);
        }
        if (!ended(Math.max(1, timeout.toMillis()))) {
            stopped = true;
            thread.interrupt(); // it waits inside the producer, for metadata or memory
        }
        return true;
    }

    /** Runs what was left over, on the caller's thread, as stopped. */
    void drain() {
        for (Runnable left = queue.poll(); left != null; left = queue.poll()) {
            left.run();
        }
    }

    private boolean ended(long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void run() {
        while (!stopped) {
            try {
                queue.take().run();
            } catch (InterruptedException e) {
                LOG.debug("interrupted", e); // by close(), which has set stopped
            } catch (RuntimeException | Error e) {
                // and the next ones are
                LOG.atError()
                        .setCause(e)
                        .addKeyValue(EventNames.KEY, EventNames.DEAD_LETTER_UNANSWERED)
                        .log("A dead letter is not answered for until its time limit");
            }
        }
    }
}
