package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is known of one connection; both its directions tell and ask, each in its own thread. */
final class PostgresSession {

    /** More than this is not kept of a transaction's texts. */
    private static final int LONGEST_KEPT = 4 << 20;

    private final List<CommitMoment> waiting;
    private final Connection connection;
    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private final List<String> sent = new ArrayList<>();
    private int kept;
    private int backendPid;

    /**
     * @param waiting the proxy's own list, which others add to and remove from
     */
    PostgresSession(List<CommitMoment> waiting, Connection connection) {
        this.waiting = waiting;
        this.connection = connection;
    }

    synchronized void backend(int pid) {
        backendPid = pid;
    }

    synchronized void parsed(String statement, String sql) {
        statements.put(statement, sql);
    }

    synchronized void bound(String portal, String statement) {
        portals.put(portal, statements.getOrDefault(statement, ""));
    }

    /** The text behind a portal: that of a statement prepared earlier was sent only then. */
    synchronized String sqlOf(String portal) {
        return portals.getOrDefault(portal, "");
    }

    synchronized void sent(String text) {
        if (kept + text.length() <= LONGEST_KEPT) {
            sent.add(text);
            kept += text.length();
        }
    }

    synchronized void transactionEnded() {
        sent.clear();
        kept = 0;
    }

    /** Lets strike what waits for this. */
    void commit(boolean answered, Output output) throws IOException, InterruptedException {
        for (CommitMoment candidate : waiting) {
            if (candidate.atAnswer() == answered
                    && hasSent(candidate.sentBefore())
                    && candidate.moment().take()) {
                output.flush();
                strike(candidate);
            }
        }
    }

    private void strike(CommitMoment moment) throws IOException {
        waiting.remove(moment);
        moment.moment().strike(connection, pid());
    }

    private synchronized boolean hasSent(String text) {
        return text.isEmpty() || sent.stream().anyMatch(one -> one.contains(text));
    }

    private synchronized int pid() {
        return backendPid;
    }
}
