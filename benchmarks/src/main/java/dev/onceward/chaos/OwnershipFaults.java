package dev.onceward.chaos;

import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Partitions are taken from workers that live and are sure of them, as an operator does with {@code dlq workers evict}: the
 * fence alone keeps them from writing.
 */
final class OwnershipFaults {
    private static final String OWNED =
            "SELECT fence_key FROM partition_generations WHERE released_at IS NULL" + " ORDER BY fence_key";
    private static final String LIMIT = "SELECT set_config('lock_timeout', '5s', true)";
    private static final String LOCK = "SELECT pg_advisory_xact_lock(?, ?)";
    private static final String RAISE = "UPDATE partition_generations SET generation = generation + 1,"
            + " released_at = clock_timestamp() WHERE fence_key = ? AND released_at IS NULL";
    private static final String LOCK_TIMEOUT = "55P03";
    private static final int MOST = 6;

    private OwnershipFaults() {}

    static void evict(World world, Random random) throws SQLException, MissedException {
        int raised = 0;
        try (Connection connection = world.servers().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            List<Integer> owned = owned(connection);
            connection.commit();
            int most = 1 + random.nextInt(MOST);
            for (int i = 0; i < most && !owned.isEmpty(); i++) {
                raised += raise(connection, owned.remove(random.nextInt(owned.size())));
            }
        }
        if (raised == 0) {
            throw new MissedException("no partition that is owned and free");
        }
    }

    private static List<Integer> owned(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OWNED);
                ResultSet row = statement.executeQuery()) {
            List<Integer> fenceKeys = new ArrayList<>();
            while (row.next()) {
                fenceKeys.add(row.getInt(1));
            }
            return fenceKeys;
        }
    }

    /** Each in a transaction of its own, behind the transactions of its owner. */
    private static int raise(Connection connection, int fenceKey) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement(LIMIT);
                PreparedStatement lock = connection.prepareStatement(LOCK);
                PreparedStatement raise = connection.prepareStatement(RAISE)) {
            limit.execute();
            lock.setInt(1, new Tables("public").lockClass());
            lock.setInt(2, fenceKey);
            lock.execute();
            raise.setInt(1, fenceKey);
            int rows = raise.executeUpdate();
            connection.commit();
            return rows;
        } catch (SQLException e) {
            connection.rollback();
            if (LOCK_TIMEOUT.equals(e.getSQLState())) {
                return 0;
            }
            throw e;
        }
    }
}
