package dev.onceward.testsupport.guarantees;

/**
 * Guarantee 4: messages of one key within one partition take effect in the order of their offsets. Which record an effect
 * is of, its claim says: a duplicate that was skipped has no say. Not looked at: replays, which run beside their key; and
 * a key that moved to another partition because some were added.
 */
public final class KeyOrder implements Guarantee {
    private static final String EFFECTS = "SELECT s.topic, s.partition, s.record_key, s.record_offset, e.id, e.n"
            + " FROM (%s) AS e(id, n)"
            + " JOIN {processed_messages} p ON p.consumer_name = ? AND p.message_id = e.id"
            + " JOIN {partition_generations} g ON g.consumer_name = ? AND g.fence_key = p.fence_key"
            + " JOIN source_records s ON s.topic = g.topic AND s.partition = g.partition"
            + " AND s.record_offset = p.source_offset";
    private static final String OUT_OF_ORDER = "SELECT topic, partition, record_offset, id, before FROM"
            + " (SELECT *, lag(record_offset) OVER (PARTITION BY topic, partition, %key ORDER BY n) AS before"
            + " FROM (%effects) AS effects) AS ordered WHERE before > record_offset";

    private final ObservedConsumer consumer;
    private final SourceRecords source;
    private final String effects;
    private final boolean byPartition;

    private KeyOrder(ObservedConsumer consumer, SourceRecords source, String effects, boolean byPartition) {
        this.consumer = consumer;
        this.source = source;
        this.effects = EFFECTS.replace("%s", effects);
        this.byPartition = byPartition;
    }

    /**
     * By the record's key, the runtime's default.
     *
     * @param effects SQL that gives message id and a number for each effect; within a key the numbers must grow as the
     *     effects happen, as those of a sequence do: {@code SELECT message_id, id FROM entries}
     */
    public static KeyOrder of(ObservedConsumer consumer, SourceRecords source, String effects) {
        return new KeyOrder(consumer, source, effects, false);
    }

    /** Where the consumer keeps the order of whole partitions. */
    public static KeyOrder ofPartitions(ObservedConsumer consumer, SourceRecords source, String effects) {
        return new KeyOrder(consumer, source, effects, true);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("KeyOrder");
        String key = byPartition ? "NULL::bytea" : "record_key";
        // Records without a key have no order to keep.
        String ordered = byPartition ? effects : effects + " WHERE s.record_key IS NOT NULL";
        try (Queries database = new Queries(consumer)) {
            source.load(database);
            tally.checked(database.count(
                    "SELECT count(*) FROM (" + ordered + ") AS effects", consumer.name(), consumer.name()));
            database.rows(
                    OUT_OF_ORDER.replace("%key", key).replace("%effects", ordered),
                    row -> tally.violation(row.getString(1) + "-" + row.getInt(2) + "@" + row.getLong(3) + " (id "
                            + row.getString(4) + ") took effect after offset " + row.getLong(5) + " of its key"),
                    consumer.name(),
                    consumer.name());
        }
        return tally.finding();
    }
}
