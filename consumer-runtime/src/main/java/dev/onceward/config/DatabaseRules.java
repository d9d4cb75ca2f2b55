package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The pool made here, if any. The URL may carry a password and is never printed. */
final class DatabaseRules {
    private final ConsumerSettings settings;
    private final Problems problems;

    DatabaseRules(ConsumerSettings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void check() {
        ConsumerSettings.DatabaseSettings database = settings.database();
        if (database == null || !problems.sound(SettingKeys.DATABASE_URL)) {
            return;
        }
        try {
            checkProperties(driver(database.url()).getPropertyInfo(database.url(), new Properties()));
        } catch (SQLException e) {
            problems.add(
                    SettingKeys.DATABASE_URL,
                    "is no JDBC URL of PostgreSQL; write jdbc:postgresql://host:port/database");
        }
    }

    private static Driver driver(String url) throws SQLException {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new SQLException("another database");
        }
        return DriverManager.getDriver(url);
    }

    private void checkProperties(DriverPropertyInfo[] properties) {
        if (problems.sound(SettingKeys.LIMITS_HANDLER, SettingKeys.CONCURRENCY_GROUP_BUDGET)) {
            Arrays.stream(properties)
                    .filter(property -> property.name.equals("socketTimeout"))
                    .forEach(property -> checkSocketTimeout(property.value));
        }
    }

    /**
     * The driver gives up a statement after this time, whoever it belongs to. If that is earlier than the handler's
     * limit, a slow statement looks like an outage and is tried again for ever instead of being counted.
     */
    private void checkSocketTimeout(@Nullable String seconds) {
        if (seconds == null || !seconds.matches("[0-9]{1,9}")) {
            return;
        }
        Duration timeout = Duration.ofSeconds(Long.parseLong(seconds));
        Duration needed =
                settings.limits().handler().plus(settings.concurrency().groupBudget());
        if (!timeout.isZero() && timeout.compareTo(needed) <= 0) {
            problems.add(
                    SettingKeys.DATABASE_URL,
                    "socketTimeout of " + Durations.format(timeout)
                            + " passes before a group does: it must be more than "
                            + SettingKeys.LIMITS_HANDLER + " and " + SettingKeys.CONCURRENCY_GROUP_BUDGET
                            + " together (" + Durations.format(needed) + "), or 0");
        }
    }
}
