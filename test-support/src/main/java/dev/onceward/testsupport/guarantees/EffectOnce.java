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

    private static final String WITHOUT_EFFECT =
            "SELECT p.message_id FROM {processed_messages} p WHERE p.consumer_name = ?"
                    + " AND NOT EXISTS (SELECT FROM (%s) AS e(id) WHERE e.id = p.message_id)";

    private final ObservedConsumer consumer;
    private final String effects;
    private final boolean forEveryClaim;

    private EffectOnce(ObservedConsumer consumer, String effects, boolean forEveryClaim) {
        this.consumer = consumer;
        this.effects = effects;
        this.forEveryClaim = forEveryClaim;
    }

    /**
     * Over all effects that a query finds.
     *
     * @param effects SQL that gives the message id of each effect, one row per effect:
     *     {@code SELECT message_id FROM entries}
     */
    public static EffectOnce of(ObservedConsumer consumer, String effects) {
        return new EffectOnce(consumer, effects, false);
    }

    /**
     * Where every message that is processed has an effect that the query finds: none may be missing either. A claim that
     * committed without its effect shows here and nowhere else.
     */
    public EffectOnce forEveryClaim() {
        return new EffectOnce(consumer, effects, true);
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
            if (forEveryClaim) {
                database.rows(
                        WITHOUT_EFFECT.replace("%s", effects),
                        row -> tally.violation(row.getString(1) + " has a claim and no effect"),
                        consumer.name());
            }
        }
        return tally.finding();
    }
}
