package dev.onceward.testsupport.guarantees;

/**
 * Guarantee 1: each message has at most one effect, and an effect has its claim. Meant for tables without any unique key,
 * which could hide a double.
 */
public final class EffectOnce implements Guarantee {
    // Where claims may have been pruned, one that is missing tells nothing.
    private static final String UNCLAIMED = "SELECT e.id FROM (SELECT DISTINCT id FROM (%s) AS e(id)) e"
            + " WHERE NOT EXISTS (SELECT FROM {processed_messages} p WHERE p.consumer_name = ? AND p.message_id = e.id)"
            + " AND NOT EXISTS (SELECT FROM {partition_generations} g WHERE g.consumer_name = ? AND g.pruned_through >= 0)";

    private final ObservedConsumer consumer;
    private final String effects;

    private EffectOnce(ObservedConsumer consumer, String effects) {
        this.consumer = consumer;
        this.effects = effects;
    }

    /**
     * Over all effects that a query finds.
     *
     * @param effects SQL that gives the message id of each effect, one row per effect:
     *     {@code SELECT message_id FROM entries}
     */
    public static EffectOnce of(ObservedConsumer consumer, String effects) {
        return new EffectOnce(consumer, effects);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("EffectOnce");
        try (Queries database = new Queries(consumer)) {
            tally.checked(database.count("SELECT count(*) FROM (" + effects + ") AS e"));
            database.rows(
                    "SELECT id, count(*) FROM (" + effects + ") AS e(id) GROUP BY id HAVING count(*) > 1",
                    row -> tally.violation(row.getString(1) + " has " + row.getLong(2) + " effects"));
            database.rows(
                    UNCLAIMED.replace("%s", effects),
                    row -> tally.violation(row.getString(1) + " has an effect and no claim"),
                    consumer.name(),
                    consumer.name());
        }
        return tally.finding();
    }
}
