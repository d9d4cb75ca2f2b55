package dev.onceward.postgres;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the results of the opening's statements, one after the other. */
final class OpenedBuilder {
    int backendPid;

    @Nullable
    String transactionId;

    final Set<Fence> stale = new HashSet<>();
    final Set<String> claimed = new HashSet<>();
    final Map<String, Opened.Existing> existing = new HashMap<>();
    final List<Opened.KnownDeadLetter> deadLetters = new ArrayList<>();
    final Map<Integer, Long> prunedThrough = new HashMap<>();

    Opened build() {
        return new Opened(backendPid, transactionId, stale, claimed, existing, deadLetters, prunedThrough);
    }
}
