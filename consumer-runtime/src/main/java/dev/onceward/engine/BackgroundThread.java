package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon thread for tasks now, later, and again and again. A task that throws is logged and, if it is a repeated one,
 * repeated all the same; an {@link Error} ends the worker, since a thread that silently does nothing would be worse.
 */
final class BackgroundThread implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThread.class);

    private final Worker worker;
    private final ScheduledThreadPoolExecutor executor;

    BackgroundThread(String name, Worker worker) {
        this.worker = worker;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        later(Duration.ZERO, task);
    }

    /** Runs a task after a delay, unless the thread was stopped. */
    void later(Duration delay, Runnable task) {
        try {
            var unused = executor.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("not run, the worker is stopping", e);
        }
    }

    /** Runs a task again and again, with this pause between. */
    void every(Duration pause, Runnable task) {
        var unused = executor.scheduleWithFixedDelay(() -> guarded(task), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs a task, and tells when it is done. */
    CompletableFuture<Void> submit(Runnable task) {
        try {
            return CompletableFuture.runAsync(task, executor);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue(EventNames.KEY, EventNames.BACKGROUND_TASK_FAILED)
                    .log("A background task failed");
        } catch (Error e) {
            worker.fail("a background task ended with an error", e);
            throw e;
        }
    }

    /** Tasks that run may end, those that wait are dropped. */
    void stop() {
        executor.shutdown();
    }

    /** Interrupts what runs. */
    void stopNow() {
        executor.shutdownNow();
    }

    boolean awaitEnd(long nanos) throws InterruptedException {
        return executor.awaitTermination(nanos, TimeUnit.NANOSECONDS);
    }
}
