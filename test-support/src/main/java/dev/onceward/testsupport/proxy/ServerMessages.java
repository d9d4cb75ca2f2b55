package dev.onceward.testsupport.proxy;

import java.io.IOException;

/** What a server answers. */
final class ServerMessages implements FrameFilter.Handler {

    private static final byte IDLE = 'I';

    private final PostgresSession session;

    ServerMessages(PostgresSession session) {
        this.session = session;
    }

    @Override
    public boolean expectsUntyped() {
        return false;
    }

    @Override
    public boolean accepts(PostgresMessage message, Output output) throws IOException, InterruptedException {
        switch (message.type()) {
            case 'K' -> session.backend((int) message.int32At(0));
            case 'C' -> {
                // Whatever way the order was sent. A COMMIT that had to roll back is answered with ROLLBACK.
                if (message.text(0).equals("COMMIT")) {
                    session.commit(true, output);
                }
            }
            case 'Z' -> {
                if (message.byteAt(0) == IDLE) {
                    session.transactionEnded();
                }
            }
            default -> {
                // Says nothing about transactions.
            }
        }
        return true;
    }
}
