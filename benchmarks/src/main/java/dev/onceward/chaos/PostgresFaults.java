package dev.onceward.chaos;

import dev.onceward.testsupport.ChildPostgres;
import dev.onceward.testsupport.replication.ReplicatedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What befalls the database server. */
final class PostgresFaults {
    // Busy ones first: a session between two transactions is no great loss.
    private static final String SESSIONS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            + " AND backend_type = 'client backend' AND application_name LIKE 'worker-%'"
            + " ORDER BY (state = 'idle'), pid LIMIT 8";

    private PostgresFaults() {}

    static void terminate(World world, Random random) throws SQLException, MissedException {
        try (Connection connection = world.servers().dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT pg_terminate_backend(?)")) {
            statement.setInt(1, session(world, random));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                missedUnless(row.getBoolean(1));
            }
        }
    }

    static void freezeSession(World world, Random random) throws SQLException, InterruptedException, MissedException {
        ChildPostgres postgres = world.servers().postgres().primary();
        long pid = session(world, random);
        missedUnless(postgres.freezeSession(pid));
        try {
            Pause.between(2_000, 8_000, random);
        } finally {
            postgres.unfreezeSession(pid);
        }
    }

    static void killSession(World world, Random random) throws SQLException, InterruptedException, MissedException {
        missedUnless(world.servers().postgres().primary().killSession(session(world, random)));
        world.awaitDatabase();
    }

    static void restart(World world, Random random) throws InterruptedException {
        ChildPostgres postgres = world.servers().postgres().primary();
        postgres.stop();
        Pause.between(0, 4_000, random);
        postgres.restart();
    }

    static void crash(World world, Random random) throws InterruptedException {
        ChildPostgres postgres = world.servers().postgres().primary();
        postgres.stopImmediate();
        Pause.between(0, 4_000, random);
        postgres.restart();
    }

    static void freeze(World world, Random random) throws InterruptedException {
        ChildPostgres postgres = world.servers().postgres().primary();
        postgres.freeze();
        try {
            Pause.between(1_000, 9_000, random);
        } finally {
            postgres.unfreeze();
        }
    }

    /** Every COMMIT waits until it is back. */
    static void loseStandby(World world, Random random) throws InterruptedException {
        ReplicatedPostgres postgres = world.servers().postgres();
        ChildPostgres standby = postgres.standby();
        if (random.nextBoolean()) {
            standby.freeze();
            try {
                Pause.between(1_000, 9_000, random);
            } finally {
                standby.unfreeze();
            }
        } else {
            standby.kill();
            Pause.between(0, 6_000, random);
            standby.restart();
        }
        postgres.awaitInSync();
    }

    /** The primary is gone for good, with whatever it had told nobody yet. */
    static void failOver(World world, Random random) throws InterruptedException {
        ReplicatedPostgres postgres = world.servers().postgres();
        postgres.awaitInSync();
        postgres.failOver();
        Pause.between(0, 5_000, random);
        postgres.renewStandby();
    }

    private static int session(World world, Random random) throws SQLException, MissedException {
        try (Connection connection = world.servers().dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(SESSIONS);
                ResultSet row = statement.executeQuery()) {
            List<Integer> pids = new ArrayList<>();
            while (row.next()) {
                pids.add(row.getInt(1));
            }
            missedUnless(!pids.isEmpty());
            return pids.get(random.nextInt(pids.size()));
        }
    }

    private static void missedUnless(boolean there) throws MissedException {
        if (!there) {
            throw new MissedException("no session of a worker");
        }
    }
}
