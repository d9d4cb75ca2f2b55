package dev.onceward.guarantees;

import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes its effect and then does not come back before it is opened. */
final class Blocker implements MessageHandler<String, String> {
    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger blocked = new AtomicInteger();
    private final boolean stubborn;

    private Blocker(boolean stubborn) {
        this.stubborn = stubborn;
    }

    /** An interrupt ends it with an exception, as it ends most that block. */
    static Blocker polite() {
        return new Blocker(false);
    }

    /** Ignores interrupts. */
    static Blocker stubborn() {
        return new Blocker(true);
    }

    @Override
    public void handle(Message<String, String> message, Effect effect) throws Exception {
        Ledger.HANDLER.handle(message, effect);
        blocked.incrementAndGet();
        try {
            awaitOpened();
        } finally {
            blocked.decrementAndGet();
        }
    }

    private void awaitOpened() throws InterruptedException {
        while (true) {
            try {
                opened.await();
                return;
            } catch (InterruptedException e) {
                if (!stubborn) {
                    throw e;
                }
            }
        }
    }

    /** How many handlers do not come back at the moment. */
    int blocked() {
        return blocked.get();
    }

    void open() {
        opened.countDown();
    }
}
