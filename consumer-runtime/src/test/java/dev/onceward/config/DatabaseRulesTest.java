package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.SettingKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseRulesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://localhost/x",
                "jdbc:postgresql://a:5432,b:5432/x?targetServerType=primary",
                "jdbc:postgresql:x",
                "jdbc:postgresql://localhost/x?socketTimeout=0",
                "jdbc:postgresql://localhost/x?socketTimeout=36",
            })
    void takesUrlsOfPostgresql(String url) {
        assertThat(TestSettings.with(SettingKeys.DATABASE_URL, url)
                        .and(SettingKeys.DATABASE_USER, "app")
                        .and(SettingKeys.DATABASE_PASSWORD, "")
                        .problems())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "postgresql://localhost/x",
                "jdbc:mysql://secret/x",
                "jdbc:postgresql://localhost:secret/x",
                " jdbc:postgresql://secret/x",
            })
    void refusesOthersWithoutPrintingThem(String url) {
        TestSettings settings = TestSettings.with(SettingKeys.DATABASE_URL, url);
        settings.assertRefused("onceward.database.url", "is no JDBC URL of PostgreSQL");
        assertThat(settings.problems().get(0)).doesNotContain("secret");
    }

    @Test
    void theSocketOutlivesAGroup() {
        TestSettings.with(SettingKeys.DATABASE_URL, "jdbc:postgresql://localhost/x?user=a&socketTimeout=35")
                .assertRefused(
                        "onceward.database.url",
                        "socketTimeout of 35s",
                        "onceward.limits.handler and onceward.concurrency.group-budget together (35s)");
    }

    @Test
    void theSocketIsNotComparedWithAMistake() {
        TestSettings.with(SettingKeys.DATABASE_URL, "jdbc:postgresql://localhost/x?socketTimeout=35")
                .and(SettingKeys.LIMITS_HANDLER, "2h")
                .assertRefused("onceward.limits.handler");
    }

    @Test
    void aUserHasAName() {
        TestSettings.with(SettingKeys.DATABASE_URL, "jdbc:postgresql:x")
                .and(SettingKeys.DATABASE_USER, " ")
                .assertRefused("onceward.database.user", "is blank");
    }
}
