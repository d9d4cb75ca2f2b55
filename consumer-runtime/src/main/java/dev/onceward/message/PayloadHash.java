package dev.onceward.message;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Fingerprint of a record's value: tells a true duplicate from an id that was used again for something else. Stored in
 * the database, so it must never change.
 */
public final class PayloadHash {
    private PayloadHash() {}

    /** The first 8 bytes of SHA-256, big-endian; 0 for no value (a tombstone) and only for that. */
    public static long of(byte @Nullable [] value) {
        return value == null
                ? 0
                : neverZero(ByteBuffer.wrap(sha256().digest(value)).getLong());
    }

    /** A payload must not look like a tombstone, however unlikely its hash. */
    static long neverZero(long hash) {
        return hash == 0 ? 1 : hash;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
