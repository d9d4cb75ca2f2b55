package dev.onceward.dlq;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.workers.WorkerList;
import java.sql.SQLException;

/** Whether anybody is there to process what is sent. */
final class WorkersRunning {
    private WorkersRunning() {}

    /** Says so if there is nobody: it is no fault to send before the workers are back, but to wait for them may be. */
    static void warnIfNone(Console console, Connections connections, String consumer) throws SQLException {
        boolean any = new WorkerList(connections)
                .read().stream().anyMatch(worker -> worker.consumer().equals(consumer) && !worker.stale());
        if (!any) {
            console.say("dlq: no worker of " + consumer + " runs (dlq workers): what is sent waits until one does");
        }
    }
}
