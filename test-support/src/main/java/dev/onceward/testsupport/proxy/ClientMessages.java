package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** What a client says. */
final class ClientMessages implements FrameFilter.Handler {

    private static final int ENCRYPTION_BY_TLS = 80877103;
    private static final int ENCRYPTION_BY_GSS = 80877104;

    /** Also as a part of a longer text, and with comments before it; not the second step of a two-phase commit. */
    private static final Pattern COMMIT = Pattern.compile(
            "(?:^|;)(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*(?:COMMIT|END)\\b(?!\\s+PREPARED)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final PostgresSession session;
    private final Connection connection;
    private boolean started;

    ClientMessages(PostgresSession session, Connection connection) {
        this.session = session;
        this.connection = connection;
    }

    static boolean commits(String sql) {
        return COMMIT.matcher(sql).find();
    }

    @Override
    public boolean expectsUntyped() {
        return !started;
    }

    @Override
    public boolean accepts(PostgresMessage message, Output output) throws IOException, InterruptedException {
        switch (message.type()) {
            case PostgresMessage.UNTYPED -> {
                return acceptsFirst(message);
            }
            case 'Q' -> executed(message.text(0), output);
            case 'P' -> session.parsed(message.text(0), message.text(1));
            case 'B' -> {
                session.bound(message.text(0), message.text(1));
                session.sent(message.wholeText()); // the values
            }
            case 'E' -> executed(session.sqlOf(message.text(0)), output);
            default -> {
                // Says nothing about transactions.
            }
        }
        return true;
    }

    /** Encryption would hide all that follows: the proxy declines it for the server, and the client goes on without or gives up. */
    private boolean acceptsFirst(PostgresMessage message) throws IOException {
        long code = message.int32At(0);
        if (code == ENCRYPTION_BY_TLS || code == ENCRYPTION_BY_GSS) {
            connection.answer("N".getBytes(StandardCharsets.US_ASCII));
            return false;
        }
        started = true;
        return true;
    }

    private void executed(String sql, Output output) throws IOException, InterruptedException {
        session.sent(sql);
        if (commits(sql)) {
            session.commit(false, output);
        }
    }
}
