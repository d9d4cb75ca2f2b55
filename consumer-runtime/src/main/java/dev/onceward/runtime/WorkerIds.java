package dev.onceward.runtime;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/** Names of workers: they stand in logs, headers, and columns of 100 characters. */
final class WorkerIds {
    static final int MAX_LENGTH = 100;
    private static final int RANDOM_LENGTH = 8;

    private WorkerIds() {}

    /** The host's name, as far as there is room for it, and random characters. */
    static String random(String host) {
        String random = "-" + UUID.randomUUID().toString().substring(0, RANDOM_LENGTH);
        return host.substring(0, Math.min(host.length(), MAX_LENGTH - random.length())) + random;
    }

    /** What is wrong with a name that the team gives. The name itself is not repeated: it may be anything. */
    static Optional<String> problem(String id) {
        String what = null;
        if (id.isBlank()) {
            what = "is blank";
        } else if (id.codePointCount(0, id.length()) > MAX_LENGTH) {
            what = "has " + id.codePointCount(0, id.length()) + " characters";
        } else if (id.codePoints().anyMatch(Character::isISOControl)) {
            what = "has control characters";
        } else if (!StandardCharsets.UTF_8.newEncoder().canEncode(id)) {
            what = "is not valid Unicode";
        }
        return Optional.ofNullable(what)
                .map(found -> "worker-id: " + found + "; give workerId(...) 1 to " + MAX_LENGTH
                        + " characters without control characters, or leave it out for a random one");
    }
}
