package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import dev.onceward.migrations.SchemaName;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What each setting must be by itself, whatever the others are. */
final class ValueRules {
    private static final Pattern CONSUMER = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final Pattern GROUP_ID = Pattern.compile("[^\\p{Cntrl}]{1,255}");

    private ValueRules() {}

    /** What is wrong with a value; empty if nothing is. */
    static Optional<String> problem(SettingKeys setting, @Nullable Object value) {
        if (value == null) {
            boolean needed = setting.defaultText().isPresent() || setting == SettingKeys.CONSUMER;
            return needed ? Optional.of("is missing; allowed: " + setting.allowed()) : Optional.empty();
        }
        if (setting.type().hasRange()) {
            return range(setting, value);
        }
        return switch (setting) {
            case CONSUMER -> matching(CONSUMER, setting, value);
            case GROUP_ID -> value.toString().isBlank() ? Optional.of("is blank") : matching(GROUP_ID, setting, value);
            case SCHEMA -> schema(value.toString());
            case DATABASE_USER -> value.toString().isBlank() ? Optional.of("is blank; leave it out") : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<String> range(SettingKeys setting, Object value) {
        if (compare(value, SettingText.parse(setting, setting.min())) < 0
                || compare(value, SettingText.parse(setting, setting.max())) > 0) {
            return Optional.of(SettingText.format(setting, value) + " is out of range; allowed: " + setting.allowed());
        }
        boolean noReplica = setting == SettingKeys.DEAD_LETTERS_CREATE_REPLICATION_FACTOR && value.equals(0L);
        return noReplica ? Optional.of("0 replicas hold nothing; use 1 or more, or -1") : Optional.empty();
    }

    private static int compare(Object one, Object other) {
        return one instanceof Duration duration
                ? duration.compareTo((Duration) other)
                : Long.compare((Long) one, (Long) other);
    }

    private static Optional<String> matching(Pattern pattern, SettingKeys setting, Object value) {
        return pattern.matcher(value.toString()).matches()
                ? Optional.empty()
                : Optional.of("'" + value + "' is not possible; allowed: " + setting.allowed());
    }

    private static Optional<String> schema(String name) {
        try {
            new SchemaName(name);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
