package dev.onceward.dlq.connect;

import dev.onceward.dlq.exit.UsageException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The settings given: by flag, else by environment, else by file. */
final class GivenSettings {
    private final Map<SettingNames, String> flags = new EnumMap<>(SettingNames.class);
    private final Map<String, String> environment;
    private final Properties file;

    GivenSettings(Map<String, String> environment, @Nullable Path config) {
        this.environment = Map.copyOf(environment);
        String variable = environment.get("DLQ_CONFIG");
        if (config != null) {
            this.file = read(config, "--config");
        } else {
            this.file =
                    variable == null || variable.isBlank() ? new Properties() : read(Path.of(variable), "DLQ_CONFIG");
        }
        checkNames();
    }

    GivenSettings flag(SettingNames name, @Nullable String value) {
        if (value != null) {
            flags.put(name, value);
        }
        return this;
    }

    boolean isFlag(SettingNames name) {
        return flags.containsKey(name);
    }

    Optional<String> find(SettingNames name) {
        String flag = flags.get(name);
        if (flag != null) {
            return Optional.of(flag);
        }
        String variable = environment.get(name.variable());
        return Optional.ofNullable(
                        variable != null && !variable.isBlank() ? variable : file.getProperty(name.property()))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    String get(SettingNames name, String what) {
        return find(name).orElseThrow(() -> new UsageException(what + " is not known: " + name.ways()));
    }

    /** A variable of the process. */
    @Nullable
    String variable(String name) {
        return environment.get(name);
    }

    static Properties read(Path path, String option) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(path)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UsageException(option + ": cannot read " + path + ": "
                    + (Files.exists(path) ? e.getMessage() : "there is no such file"));
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + path + " is no file of properties: " + e.getMessage());
        }
        return properties;
    }

    private void checkNames() {
        for (String name : file.stringPropertyNames()) {
            if (Arrays.stream(SettingNames.values())
                    .noneMatch(known -> known.property().equals(name))) {
                throw new UsageException("--config: " + name + " is no setting; there are: "
                        + String.join(
                                ", ",
                                Arrays.stream(SettingNames.values())
                                        .map(SettingNames::property)
                                        .toList())
                        + ". Properties of Kafka's clients go into the file of --command-config");
            }
        }
    }
}
