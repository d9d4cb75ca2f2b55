package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;

/** What was probably meant by a key that does not exist. */
final class NearestKey {
    private NearestKey() {}

    /** The known key that is most like it. */
    static String to(String unknown) {
        return Stream.concat(Arrays.stream(SettingKeys.values()).map(SettingKeys::key), asKafka(unknown))
                .min(Comparator.<String>comparingInt(known -> unlikeness(unknown, known))
                        .thenComparingInt(known -> distance(comparable(unknown), comparable(known))))
                .orElseThrow();
    }

    /** The changes that it takes; few where only the last word is right ("onceward.lanes") or is missing. */
    private static int unlikeness(String unknown, String known) {
        if (comparable(known).startsWith(comparable(unknown) + ".")) {
            return 1;
        }
        int wholly = distance(comparable(unknown), comparable(known));
        int inLastWord = distance(comparable(lastWord(unknown)), comparable(lastWord(known)));
        return Math.min(wholly, inLastWord + 1);
    }

    /** The environment variable for a key. */
    static String variable(String key) {
        return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** "onceward.kakfa.acks" means Kafka. */
    private static Stream<String> asKafka(String unknown) {
        String[] words = unknown.split("\\.", 3);
        return words.length > 1 && distance(words[1], "kafka") <= 2
                ? Stream.of(SettingKeys.KAFKA_PREFIX + (words.length == 3 ? words[2] : "*"))
                : Stream.empty();
    }

    private static String lastWord(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    /** Spelt alike: maxAttempts, max_attempts and max-attempts differ in nothing that matters here. */
    private static String comparable(String key) {
        return key.replaceAll("(?<=[a-z])(?=[A-Z])", ".")
                .replaceAll("[-_]", ".")
                .toLowerCase(Locale.ROOT);
    }

    /** Insertions, deletions and replacements from one to the other (Levenshtein), row by row. */
    static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
