package dev.onceward.examples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Reads topics and database at the end of the run: the only sources of the verdict. */
final class Audit {

    private static final int FETCH_SIZE = 5_000;

    private final Plan plan;
    private final Stage stage;
    private final DatabaseView view;

    Audit(Plan plan, Stage stage, DatabaseView view) {
        this.plan = plan;
        this.stage = stage;
        this.view = view;
    }

    Findings findings(List<OpenTransaction> frozen, long takeoversAtStart) throws SQLException {
        SourceTally source = new SourceTally();
        TopicReader topics = new TopicReader(stage.bootstrapServers());
        topics.forEach(stage.topic(), source::accept);
        Map<Place, ConsumerRecord<byte[], byte[]>> copies = new HashMap<>();
        topics.forEach(stage.deadLetterTopic(), record -> copies.put(place(record), record));
        EffectTally effects = effects();
        long fenced = 0;
        for (OpenTransaction transaction : frozen) {
            fenced += view.provenAbsent(transaction) ? 1 : 0;
        }
        return new Findings(
                source.produced,
                source.good.cardinality(),
                source.bad.size(),
                claims(),
                effects,
                effects.accountsOff(balances()),
                DeadLetterTally.of(source.bad, deadLetterRows(), copies),
                view.uncleanTakeovers() - takeoversAtStart,
                frozen.size(),
                fenced);
    }

    /** What stands in the source topic. */
    private final class SourceTally {
        private final BitSet good = new BitSet();
        private final Map<Place, ConsumerRecord<byte[], byte[]>> bad = new LinkedHashMap<>();
        private long produced;

        void accept(ConsumerRecord<byte[], byte[]> record) {
            produced++;
            Header id = record.headers().lastHeader("message-id");
            int index = id == null ? -1 : PlannedMessage.indexOf(new String(id.value(), UTF_8));
            if (index < 0 || index >= plan.messages()) {
                throw new DemoException("A record that the demo did not send stands in topic " + stage.topic());
            }
            if (plan.message(index).bad()) {
                bad.put(place(record), record);
            } else {
                good.set(index);
            }
        }
    }

    private static Place place(ConsumerRecord<byte[], byte[]> record) {
        return new Place(record.topic(), record.partition(), record.offset());
    }

    private EffectTally effects() throws SQLException {
        EffectTally tally = new EffectTally(plan);
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false); // or the driver would read all rows at once
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH_SIZE);
                try (ResultSet rows = statement.executeQuery(
                        "SELECT message_id, account, sequence, amount FROM ledger ORDER BY number")) {
                    while (rows.next()) {
                        tally.accept(rows.getString(1), rows.getInt(2), rows.getInt(3), rows.getBigDecimal(4));
                    }
                }
            }
            connection.rollback();
        }
        return tally;
    }

    private Map<Integer, BigDecimal> balances() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, balance FROM accounts")) {
            Map<Integer, BigDecimal> balances = new HashMap<>();
            while (rows.next()) {
                balances.put(rows.getInt(1), rows.getBigDecimal(2));
            }
            return balances;
        }
    }

    private long claims() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT count(*) FROM processed_messages WHERE consumer_name = ?")) {
            statement.setString(1, stage.consumer());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private List<DeadLetterRow> deadLetterRows() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement("""
                        SELECT topic, partition, record_offset, message_id, status, dlt_topic, dlt_partition, dlt_offset
                          FROM dead_letters WHERE consumer_name = ?""")) {
            statement.setString(1, stage.consumer());
            List<DeadLetterRow> deadLetters = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    deadLetters.add(new DeadLetterRow(
                            new Place(rows.getString(1), rows.getInt(2), rows.getLong(3)),
                            rows.getString(4),
                            rows.getString(5),
                            copy(rows)));
                }
            }
            return deadLetters;
        }
    }

    private static @Nullable Place copy(ResultSet row) throws SQLException {
        String topic = row.getString(6);
        return topic == null ? null : new Place(topic, row.getInt(7), row.getLong(8));
    }

    private DataSource dataSource() {
        return stage.dataSource();
    }
}
