package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.message.PayloadHash;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys of which a message could not be sent: later ones must not overtake it. Earlier ones may still come, when a run
 * begins again, and are free to go. A message without a key has no order to keep. Two keys with one hash would hold each
 * other, which does no harm. Grows by some 250 bytes with each key that is held: with those of a hundred thousand messages
 * that cannot be sent and have all different keys, to 25 MB.
 */
final class HeldKeys {
    private final Map<Key, Holder> held = new HashMap<>();

    void hold(Letter letter) {
        if (letter.key() != null) {
            Holder holder =
                    new Holder(letter.name(), letter.origin().coordinates().offset());
            held.merge(key(letter), holder, (one, other) -> one.offset() <= other.offset() ? one : other);
        }
    }

    /** The letter that holds this one; {@code null}: none. */
    @Nullable
    String holder(Letter letter) {
        Holder holder = letter.key() == null ? null : held.get(key(letter));
        return holder == null || holder.offset() > letter.origin().coordinates().offset() ? null : holder.name();
    }

    private static Key key(Letter letter) {
        return new Key(
                letter.origin().coordinates().topic(),
                letter.origin().coordinates().partition(),
                PayloadHash.of(letter.key()));
    }

    private record Key(String topic, int partition, long hash) {}

    private record Holder(String name, long offset) {}
}
