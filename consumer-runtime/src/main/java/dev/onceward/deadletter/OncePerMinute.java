package dev.onceward.deadletter;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Lets one in a minute through for each key: a topic that is gone fails every letter for it, again and again. */
final class OncePerMinute {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final Map<String, Long> last = new ConcurrentHashMap<>();

    OncePerMinute(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    boolean allows(String key) {
        long now = nanoTime.getAsLong();
        Long mine = now;
        Long kept = last.merge(key, mine, (before, next) -> next - before >= MINUTE ? next : before);
        return kept.equals(mine);
    }
}
