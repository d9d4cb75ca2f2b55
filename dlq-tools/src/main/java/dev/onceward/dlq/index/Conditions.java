package dev.onceward.dlq.index;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link Filter} as conditions on the table {@code dead_letters} under the name {@code d}. */
final class Conditions {
    // An id used again for other content is no proof, so the hash must be equal, too. Here and below a scalar subquery
    // and
    // not EXISTS: it is one look into the primary key for each row that passes the rest. Of the other the planner would
    // make a join, and read a hundred million claims for it, or sort the whole table for each page.
    private static final String CLAIMED = "coalesce((SELECT true FROM {processed_messages} p"
            + " WHERE p.consumer_name = d.consumer_name AND p.message_id = d.message_id"
            + " AND p.payload_hash IN (d.payload_hash, d.edited_payload_hash) LIMIT 1), false)";
    /** The true status. */
    static final String STATUS = "CASE WHEN d.status = 'RESOLVED' OR " + CLAIMED + " THEN 'RESOLVED' ELSE d.status END";
    /**
     * One line per origin: rows of replays that failed again have the same one, and the newest tells. Newest by
     * {@code dead_at}, the database's clock, since {@code failed_at} comes from the clocks of different workers; what is not
     * yet acknowledged is the newest. The origin's timestamp tells a topic from another one of its name.
     */
    private static final String NEWEST = "coalesce((SELECT false FROM {dead_letters} n"
            + " WHERE n.consumer_name = d.consumer_name AND n.origin_topic = d.origin_topic"
            + " AND n.origin_partition = d.origin_partition AND n.origin_offset = d.origin_offset"
            + " AND n.origin_timestamp = d.origin_timestamp"
            + " AND (coalesce(n.dead_at, 'infinity'), n.topic, n.partition, n.record_offset, n.topic_id)"
            + " > (coalesce(d.dead_at, 'infinity'), d.topic, d.partition, d.record_offset, d.topic_id) LIMIT 1), true)";

    // Every index begins with the consumer. Read before the rest, and a look into the index for each of them.
    private static final String ANY_CONSUMER = "d.consumer_name = ANY (ARRAY(SELECT consumer_name FROM {consumers}))";

    // As this command writes it, and as Kafka's tools and the workers' log do.
    private static final List<Pattern> NAMES = List.of(
            Pattern.compile("([a-zA-Z0-9._-]{1,249})/([0-9]{1,9})/([0-9]{1,18})"),
            Pattern.compile("([a-zA-Z0-9._-]{1,249})-([0-9]{1,9})@([0-9]{1,18})"));
    private static final String AT_ORIGIN = "d.origin_topic = ? AND d.origin_partition = ? AND d.origin_offset = ?";
    private static final String NOBODY_AT_ORIGIN = "coalesce((SELECT false FROM {dead_letters} o"
            + " WHERE o.consumer_name = d.consumer_name AND o.origin_topic = ? AND o.origin_partition = ?"
            + " AND o.origin_offset = ? LIMIT 1), true)";

    private final List<String> conditions = new ArrayList<>();
    private final List<Parameter> parameters = new ArrayList<>();

    Conditions(Filter filter) {
        conditions.add(NEWEST);
        if (filter.consumer() == null) {
            conditions.add(ANY_CONSUMER);
        } else {
            add("d.consumer_name = ?", filter.consumer());
        }
        addIds(filter.ids());
        addAny("d.origin_topic = ANY (?)", "text", filter.topics());
        addAny("d.reason = ANY (?)", "text", filter.reasons());
        if (!filter.keys().isEmpty()) {
            addAny(
                    "d.record_key = ANY (?)",
                    "bytea",
                    filter.keys().stream().map(Filter.Key::bytes).toList());
        }
        if (filter.exception() != null) {
            add("strpos(lower(d.error_class), lower(?)) > 0", filter.exception());
        }
        if (filter.since() != null) {
            add("d.failed_at >= ?", time(filter.since()));
        }
        if (filter.until() != null) {
            add("d.failed_at < ?", time(filter.until()));
        }
        addStatuses(filter.statuses());
    }

    /** With one more condition. */
    Conditions and(String condition, Object... values) {
        conditions.add(condition);
        for (Object value : values) {
            parameters.add(value(value));
        }
        return this;
    }

    static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    /** What stands behind WHERE. */
    String sql() {
        return String.join(" AND ", conditions);
    }

    /** Prepares a statement with the conditions in the place of {@code %s}, and sets their parameters. */
    PreparedStatement prepare(Connection connection, Tables tables, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(tables.sql(sql.replace("%s", sql())));
        try {
            int index = 1;
            for (Parameter parameter : parameters) {
                parameter.set(statement, index++);
            }
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    /** The coordinates that a name stands for, if it is one. */
    static Optional<Coordinates> coordinates(String name) {
        for (Pattern pattern : NAMES) {
            Matcher matcher = pattern.matcher(name);
            if (matcher.matches()) {
                return Optional.of(new Coordinates(
                        matcher.group(1), Integer.parseInt(matcher.group(2)), Long.parseLong(matcher.group(3))));
            }
        }
        return Optional.empty();
    }

    private void addIds(List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        List<String> parts = new ArrayList<>();
        List<Parameter> values = new ArrayList<>();
        List<String> messageIds =
                ids.stream().filter(id -> coordinates(id).isEmpty()).toList();
        if (!messageIds.isEmpty()) {
            parts.add("d.message_id = ANY (?)");
            values.add(array("text", messageIds));
        }
        for (String id : ids) {
            coordinates(id).ifPresent(name -> {
                // A message id may look like the name of another letter. The name wins: a letter has no other that is
                // surely its own. Spelt out for each: what is in a subquery is compared with every row, and not looked
                // up
                // in an index.
                parts.add("(" + AT_ORIGIN + ") OR (d.message_id = ? AND " + NOBODY_AT_ORIGIN + ")");
                values.addAll(parameters(name));
                values.add(value(id));
                values.addAll(parameters(name));
            });
        }
        conditions.add("(" + String.join(" OR ", parts) + ")");
        parameters.addAll(values);
    }

    private static List<Parameter> parameters(Coordinates name) {
        return List.of(value(name.topic()), value(name.partition()), value(name.offset()));
    }

    private void addStatuses(Set<DeadLetterStatus> statuses) {
        if (statuses.containsAll(EnumSet.allOf(DeadLetterStatus.class))) {
            return;
        }
        List<String> open = statuses.stream()
                .filter(status -> status != DeadLetterStatus.RESOLVED)
                .map(Enum::name)
                .toList();
        String isOpen = "d.status <> 'RESOLVED' AND d.status = ANY (?) AND NOT " + CLAIMED;
        if (open.isEmpty()) {
            conditions.add("(d.status = 'RESOLVED' OR " + CLAIMED + ")");
        } else if (statuses.contains(DeadLetterStatus.RESOLVED)) {
            addAny("(d.status = 'RESOLVED' OR " + CLAIMED + " OR (" + isOpen + "))", "text", open);
        } else {
            addAny("(" + isOpen + ")", "text", open);
        }
    }

    private void add(String condition, Object value) {
        conditions.add(condition);
        parameters.add(value(value));
    }

    private void addAny(String condition, String type, List<?> values) {
        if (!values.isEmpty()) {
            conditions.add(condition);
            parameters.add(array(type, values));
        }
    }

    private static Parameter value(Object value) {
        return (statement, index) -> statement.setObject(index, value);
    }

    private static Parameter array(String type, List<?> values) {
        // The driver knows arrays of byte arrays only by their own type.
        Object[] elements = type.equals("bytea") ? values.toArray(new byte[0][]) : values.toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, elements));
    }

    private interface Parameter {
        void set(PreparedStatement statement, int index) throws SQLException;
    }
}
