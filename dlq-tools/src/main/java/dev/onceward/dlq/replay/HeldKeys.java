package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.message.PayloadHash;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys of which a message could not be sent: later ones must not overtake it. A message without a key has no order to
 * keep. Two keys with one hash would hold each other, which does no harm.
 */
final class HeldKeys {
    private final Map<Key, String> held = new HashMap<>();

    void hold(Letter letter) {
        if (letter.key() != null) {
            held.putIfAbsent(key(letter), letter.name());
        }
    }

    /** The letter that holds this one; {@code null}: none. */
    @Nullable
    String holder(Letter letter) {
        return letter.key() == null ? null : held.get(key(letter));
    }

    private static Key key(Letter letter) {
        return new Key(
                letter.origin().coordinates().topic(),
                letter.origin().coordinates().partition(),
                PayloadHash.of(letter.key()));
    }

    private record Key(String topic, int partition, long hash) {}
}
