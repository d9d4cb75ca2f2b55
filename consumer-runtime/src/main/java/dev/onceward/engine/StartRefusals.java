package dev.onceward.engine;

import dev.onceward.catalog.SettingKeys;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.failure.SqlStates;
import java.sql.SQLException;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * What database and cluster refuse at start and no waiting mends, with the settings to look at. What the servers say
 * names users and databases, never passwords; values of settings are not repeated.
 */
final class StartRefusals {
    private final ConsumerSettings settings;

    StartRefusals(ConsumerSettings settings) {
        this.settings = settings;
    }

    /** Where the database is. */
    String databaseSettings() {
        return settings.database() == null
                ? "data-source"
                : SettingKeys.DATABASE_URL + ", " + SettingKeys.DATABASE_USER + ", " + SettingKeys.DATABASE_PASSWORD;
    }

    /** Where the cluster is. */
    String clusterSettings() {
        return SettingKeys.KAFKA_PREFIX + "*";
    }

    /** Wrong password, role or database, or missing rights. */
    Optional<String> of(SQLException refusal) {
        return SqlStates.find(refusal)
                .flatMap(StartRefusals::advice)
                // The pool's own words around it say only that there is no connection.
                .map(advice -> databaseSettings() + ": the database refuses: "
                        + ErrorText.of(refusal).message() + "; " + advice);
    }

    /** Wrong credentials, or missing rights. */
    Optional<String> of(KafkaException refusal) {
        if (refusal instanceof AuthenticationException) {
            return Optional.of(clusterSettings() + ": the cluster refuses: " + refusal.getMessage()
                    + "; correct security.protocol and the credentials (sasl.*, ssl.*)");
        }
        return refusal instanceof AuthorizationException
                ? Optional.of(clusterSettings() + ": the cluster refuses: " + refusal.getMessage()
                        + "; grant this user what it lacks")
                : Optional.empty();
    }

    private static Optional<String> advice(String sqlState) {
        return switch (sqlState.substring(0, Math.min(2, sqlState.length()))) {
            case "28" -> Optional.of("correct the user, its password, or the server's rules for who may connect");
            case "3D" -> Optional.of("correct the database's name in the URL, or create it");
            case "42" -> Optional.of("the role needs the rights that docs/database-roles.md lists");
            default -> Optional.empty();
        };
    }
}
