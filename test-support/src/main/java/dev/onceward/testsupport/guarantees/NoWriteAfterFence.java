package dev.onceward.testsupport.guarantees;

import java.util.List;

/**
 * Guarantee 3: no transaction of a worker that lost a partition commits a write. Judged inside the transaction itself, by
 * triggers that compare the generation it was opened under ({@code onceward.generation}) with that of the database as it
 * commits, and write down what does not agree: a note is there if, and only if, its transaction committed.
 *
 * <p>To be {@linkplain #watch put up} before the workers start. For tests: it costs a look into
 * {@code partition_generations} for each row that is written.
 */
public final class NoWriteAfterFence implements Guarantee {
    // A sequence counts what was looked at: it is not rolled back, and nobody waits for it.
    // The fences are owned by name and number: "7=3,9=12" is generation 3 of fence 7 and 12 of fence 9.
    private static final String PUT_UP = """
            CREATE SEQUENCE IF NOT EXISTS {onceward_fence_looks};
            CREATE TABLE IF NOT EXISTS {onceward_fence_notes}
              (noted_at timestamptz NOT NULL DEFAULT clock_timestamp(), table_name text NOT NULL, operation text NOT NULL,
               opened_under text NOT NULL, found text NOT NULL, writer text NOT NULL);
            CREATE OR REPLACE FUNCTION {onceward_watch_fence}() RETURNS trigger LANGUAGE plpgsql
              SECURITY DEFINER SET search_path = pg_catalog AS $$
            DECLARE
              opened text := coalesce(current_setting('onceward.generation', true), '');
              found text;
            BEGIN
              PERFORM nextval('{onceward_fence_looks}');
              IF opened = '' THEN
                IF TG_ARGV[0] = 'strict' THEN
                  INSERT INTO {onceward_fence_notes} (table_name, operation, opened_under, found, writer)
                    VALUES (TG_TABLE_NAME, TG_OP, '', 'no fenced transaction', current_setting('application_name'));
                END IF;
                RETURN NULL;
              END IF;
              SELECT string_agg(fence, ',' ORDER BY fence) INTO found
                FROM (SELECT fence, split_part(fence, '=', 1)::int AS fence_key, split_part(fence, '=', 2)::bigint AS generation
                        FROM unnest(string_to_array(opened, ',')) AS fence) AS held
                LEFT JOIN {partition_generations} AS g USING (fence_key)
               WHERE g.generation IS DISTINCT FROM held.generation;
              IF found IS NOT NULL THEN
                INSERT INTO {onceward_fence_notes} (table_name, operation, opened_under, found, writer)
                  VALUES (TG_TABLE_NAME, TG_OP, opened, 'stale: ' || found, current_setting('application_name'));
              END IF;
              RETURN NULL;
            END $$;
            """;
    // Deferred: judged by what the database says when the transaction commits, not only when it wrote.
    private static final String TRIGGER = """
            DROP TRIGGER IF EXISTS onceward_watch_fence ON %1$s;
            CREATE CONSTRAINT TRIGGER onceward_watch_fence AFTER INSERT OR UPDATE OR DELETE ON %1$s
              DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {onceward_watch_fence}('%2$s');
            """;
    /** Tables of Onceward that workers write under a fence; operators and pruning write them without one. */
    private static final List<String> FENCED = List.of("processed_messages", "message_attempts", "dead_letters");

    private final ObservedConsumer consumer;

    private NoWriteAfterFence(ObservedConsumer consumer) {
        this.consumer = consumer;
    }

    /**
     * Puts up the triggers, also where some are there already. The role must own the tables.
     *
     * @param tables of the service team, as they would stand in SQL; only handlers may write them from now on
     */
    public static NoWriteAfterFence watch(ObservedConsumer consumer, String... tables) {
        try (Queries database = new Queries(consumer)) {
            database.execute(PUT_UP);
            for (String table : FENCED) {
                database.execute(String.format(TRIGGER, "{" + table + "}", "lenient"));
            }
            for (String table : tables) {
                database.execute(String.format(TRIGGER, table, "strict"));
            }
            database.commit();
        }
        return new NoWriteAfterFence(consumer);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("NoWriteAfterFence");
        try (Queries database = new Queries(consumer)) {
            tally.checked(database.count(
                    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {onceward_fence_looks}"));
            database.rows(
                    "SELECT noted_at, writer, operation, table_name, opened_under, found FROM {onceward_fence_notes}"
                            + " ORDER BY noted_at",
                    row -> tally.violation(row.getString(1) + ": " + row.getString(2) + " wrote (" + row.getString(3)
                            + " of " + row.getString(4) + "), opened under [" + row.getString(5) + "], "
                            + row.getString(6)));
        }
        return tally.finding();
    }
}
