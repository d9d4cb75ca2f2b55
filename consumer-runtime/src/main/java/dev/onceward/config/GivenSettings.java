package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What properties and environment say, sorted by what it is about.
 *
 * @param settings by setting; those of the environment win
 * @param kafka Kafka's properties, without our prefix
 * @param unknown from a name that nobody knows to what to do about it
 */
record GivenSettings(Map<SettingKeys, Given> settings, Map<String, String> kafka, Map<String, String> unknown) {
    private static final String VARIABLE_PREFIX = "ONCEWARD_";
    private static final String KAFKA_VARIABLE_PREFIX = "ONCEWARD_KAFKA_";
    /** Container platforms announce each service to its neighbours by variables of these forms. */
    private static final String SERVICE_LINK =
            "ONCEWARD(_\\w+)?_(SERVICE_(HOST|PORT(_\\w+)?)|PORT(_[0-9]+_(TCP|UDP|SCTP)(_\\w+)?)?)";
    /** Of test servers and of the demo, which set up settings themselves. */
    private static final String NOT_OF_A_SERVICE = "ONCEWARD_(TEST|DEMO)_\\w+|ONCEWARD_(KAFKA|POSTGRES)_IMAGE";

    private static final Pattern LEFT_ALONE = Pattern.compile(SERVICE_LINK + "|" + NOT_OF_A_SERVICE);

    /**
     * A value as it was written.
     *
     * @param where what to add to an error, so that the place is found
     */
    record Given(String text, String where) {}

    static GivenSettings of(Map<String, String> properties, Map<String, String> environment) {
        GivenSettings given = new GivenSettings(new EnumMap<>(SettingKeys.class), new TreeMap<>(), new TreeMap<>());
        new TreeMap<>(properties).forEach(given::addProperty);
        new TreeMap<>(environment).forEach(given::addVariable);
        return given;
    }

    private void addProperty(String key, String text) {
        if (!key.startsWith(SettingKeys.PREFIX)) {
            return;
        }
        SettingKeys setting = SettingKeys.find(key).orElse(null);
        if (setting != null) {
            settings.put(setting, new Given(text, ""));
        } else if (key.startsWith(SettingKeys.KAFKA_PREFIX) && key.length() > SettingKeys.KAFKA_PREFIX.length()) {
            kafka.put(key.substring(SettingKeys.KAFKA_PREFIX.length()), text);
        } else {
            unknown.put(key, "is no setting; the nearest is " + NearestKey.to(key));
        }
    }

    private void addVariable(String name, String text) {
        if (!name.startsWith(VARIABLE_PREFIX)) {
            return;
        }
        for (SettingKeys setting : SettingKeys.values()) {
            if (setting.environmentVariable().equals(name)) {
                settings.put(setting, new Given(text, " (environment variable " + name + ")"));
                return;
            }
        }
        if (LEFT_ALONE.matcher(name).matches()) {
            return;
        }
        if (name.startsWith(KAFKA_VARIABLE_PREFIX) && name.length() > KAFKA_VARIABLE_PREFIX.length()) {
            kafka.put(dotted(name.substring(KAFKA_VARIABLE_PREFIX.length())), text);
        } else {
            String nearest = NearestKey.to(dotted(name));
            unknown.put(name, "is no setting; the nearest is " + NearestKey.variable(nearest));
        }
    }

    private static String dotted(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
