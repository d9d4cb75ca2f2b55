package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.effect.AfterEffects;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Tables;
import javax.sql.DataSource;

/** The database of a worker, and its tables that several parts of the worker use. */
record Stores(
        Database database,
        AttemptTable attempts,
        DeadLetterTable deadLetters,
        GenerationTable generations,
        AfterEffects afterEffects) {

    static Stores of(ConsumerSettings settings, DataSource dataSource, int serverVersion) {
        Database database = new Database(dataSource, new Tables(settings.schema()), settings.consumer(), serverVersion);
        AttemptTable attempts = new AttemptTable(database);
        return new Stores(
                database,
                attempts,
                new DeadLetterTable(database, attempts),
                new GenerationTable(database),
                new AfterEffects(database, attempts));
    }
}
