package dev.onceward.dlq.output;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Takes passwords out of what is about to be written, whichever library put them there. Thread-safe. */
public final class Secrets {
    private static final String HIDDEN = "(hidden)";
    /** Shorter ones would only make holes into words. */
    private static final int SHORTEST = 4;

    private static final Pattern IN_URL = Pattern.compile("(?i)(postgres(?:ql)?://[^\\s:/@?]*:)[^\\s/]*@");
    private static final Pattern ASSIGNED = Pattern.compile(
            "(?i)((?:password|passwd|secret|jaas\\.config)\\s*[=:]\\s*)(\"[^\"]*\"|'[^']*'|[^\\s&;,]+)");

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** From now on this is hidden wherever it occurs. */
    public void add(@Nullable String secret) {
        if (secret != null && secret.length() >= SHORTEST) {
            known.add(secret);
        }
    }

    /** The text without the secrets known, and without what looks like one. */
    public String hide(String text) {
        String hidden = text;
        for (String secret : known) {
            hidden = hidden.replace(secret, HIDDEN);
        }
        hidden = IN_URL.matcher(hidden).replaceAll("$1" + HIDDEN + "@");
        return ASSIGNED.matcher(hidden).replaceAll("$1" + HIDDEN);
    }
}
