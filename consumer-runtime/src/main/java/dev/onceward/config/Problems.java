package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what cannot work, so that all of it is said at once and none of it twice. */
final class Problems {
    private final Set<String> lines = new LinkedHashSet<>();
    private final Set<SettingKeys> unsound = EnumSet.noneOf(SettingKeys.class);

    /** Something about one setting. It takes no part in comparisons with others from now on. */
    void add(SettingKeys setting, String what) {
        unsound.add(setting);
        add(setting.key(), what);
    }

    /** Something about anything else: a Kafka property, a topic, an unknown key. */
    void add(String what, String problem) {
        lines.add(what + ": " + problem);
    }

    /** Whether nothing was wrong with any of these so far: what is compared with a mistake is not a mistake too. */
    boolean sound(SettingKeys... settings) {
        for (SettingKeys setting : settings) {
            if (unsound.contains(setting)) {
                return false;
            }
        }
        return true;
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Ends the collection.
     *
     * @throws ConfigurationException there was something
     */
    void throwIfAny() {
        if (!lines.isEmpty()) {
            throw new ConfigurationException(lines());
        }
    }
}
