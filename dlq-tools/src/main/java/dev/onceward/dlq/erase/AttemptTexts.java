package dev.onceward.dlq.erase;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Error texts of records that are tried at this moment: replays of an erased message, or other copies of it. If one fails
 * once more it has a text again. For one thread.
 *
 * <p>The table has no index by message id, which every failed attempt would have to pay for. It holds what is being tried
 * at this moment, and is read once for each command.
 */
final class AttemptTexts {
    private static final String ERASE =
            "UPDATE {message_attempts} a SET last_error = '(erased)' WHERE a.consumer_name = ?";
    private static final String BY_ID = ERASE + " AND a.message_id = ANY (?)";
    // Without an id only its payload tells a replay of it. That of another message with the same payload loses a text
    // that says the same.
    private static final String BY_PAYLOAD = ERASE + " AND a.message_id IS NULL"
            + " AND a.topic = (SELECT coalesce(c.replay_topic, 'replay.' || c.consumer_name) FROM {consumers} c"
            + " WHERE c.consumer_name = a.consumer_name)"
            + " AND a.payload_hash IN (SELECT unnest(ARRAY[d.payload_hash, d.edited_payload_hash])"
            + " FROM {dead_letters} d WHERE d.consumer_name = a.consumer_name AND d.origin_topic = ?"
            + " AND d.origin_partition = ? AND d.origin_offset = ? AND d.origin_timestamp = ?)";

    private final Connection connection;
    private final Tables tables;

    AttemptTexts(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
    }

    /** Fails if this role may not do it, and else does nothing: no consumer has an empty name. */
    void checkRights() throws SQLException {
        byId("", List.of());
    }

    /** Erases those of these letters. */
    void erase(List<Letter> letters) throws SQLException {
        var ids = letters.stream()
                .filter(letter -> letter.messageId() != null)
                .collect(Collectors.groupingBy(
                        Letter::consumer,
                        Collectors.mapping(letter -> Objects.requireNonNull(letter.messageId()), Collectors.toList())));
        for (var consumer : ids.entrySet()) {
            byId(consumer.getKey(), consumer.getValue());
        }
        for (Letter letter : letters) {
            if (letter.messageId() == null) {
                byPayload(letter);
            }
        }
    }

    private void byId(String consumer, List<String> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(BY_ID))) {
            statement.setString(1, consumer);
            statement.setArray(2, connection.createArrayOf("text", ids.toArray()));
            statement.executeUpdate();
        }
    }

    private void byPayload(Letter letter) throws SQLException {
        Coordinates origin = letter.origin().coordinates();
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(BY_PAYLOAD))) {
            statement.setString(1, letter.consumer());
            statement.setString(2, origin.topic());
            statement.setInt(3, origin.partition());
            statement.setLong(4, origin.offset());
            statement.setLong(5, letter.origin().timestamp());
            statement.executeUpdate();
        }
    }
}
