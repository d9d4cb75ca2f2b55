package dev.onceward.postgres;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.migrations.SchemaVersion;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must be so in the database before a worker may start; everything wrong is said at once. */
public final class StartChecks {
    private static final Logger LOG = LoggerFactory.getLogger(StartChecks.class);
    private static final int OLDEST_SERVER = 140_000;
    private static final String SETTINGS = "SELECT current_setting('server_version_num')::int,"
            + " current_setting('synchronous_commit'), current_setting('standard_conforming_strings'), pg_is_in_recovery(), current_setting('transaction_isolation')";
    // A worker of another group, which is refused, must not change where this consumer's replays go.
    private static final String GROUP = "INSERT INTO {consumers} AS c (consumer_name, group_id, replay_topic)"
            + " VALUES (?, ?, ?) ON CONFLICT (consumer_name) DO UPDATE SET replay_topic ="
            + " CASE c.group_id WHEN excluded.group_id THEN excluded.replay_topic ELSE c.replay_topic END"
            + " RETURNING group_id";
    // Whose sessions a takeover might have to end and may not: pg_terminate_backend asks for the same rights. A worker
    // is known by the name it connects with (cut to a name's length), or by a lock of ours that it holds at this
    // moment.
    private static final String UNREACHABLE = "SELECT DISTINCT r.rolname, r.rolsuper FROM pg_stat_activity a"
            + " JOIN pg_roles r ON r.oid = a.usesysid WHERE a.datname = current_database()"
            + " AND (a.application_name IN"
            + " (SELECT left(worker_id, 63) FROM {consumer_workers} WHERE consumer_name = ?)"
            + " OR a.pid IN (SELECT l.pid FROM pg_locks l WHERE l.locktype = 'advisory'"
            + " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND l.classid = ?::bigint::oid AND l.objsubid = 2))"
            + " AND NOT CASE WHEN r.rolsuper"
            + " THEN (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
            + " ELSE pg_has_role(r.oid, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE') END";

    private final DataSource dataSource;
    private final ConsumerSettings settings;

    public StartChecks(DataSource dataSource, ConsumerSettings settings) {
        this.dataSource = dataSource;
        this.settings = settings;
    }

    /**
     * Checks the schema's version, the server's settings, and that the consumer's name belongs to this group.
     *
     * @return the server's version number, like 180001
     * @throws ConfigurationException what is wrong, and what to do
     * @throws dev.onceward.migrations.SchemaVersionException tables missing, older or newer
     * @throws SQLException the database cannot be asked now
     */
    public int run() throws SQLException {
        SchemaVersion.verify(dataSource, settings.schema());
        List<String> problems = new ArrayList<>();
        Tables tables = new Tables(settings.schema());
        Database database = new Database(dataSource, tables, settings.consumer(), 0);
        int version = database.inTransaction(settings.limits().lock(), connection -> {
            if (!connection.isWrapperFor(BaseConnection.class)) {
                problems.add("data-source: its connections do not unwrap to the PostgreSQL driver's;"
                        + " give a pool that supports java.sql.Wrapper, as HikariCP does");
            }
            checkGroup(connection, tables, problems);
            warnOfUnreachableWorkers(connection, tables);
            warnOfPooler(connection);
            return checkSettings(connection, problems);
        });
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return version;
    }

    private int checkSettings(Connection connection, List<String> problems) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SETTINGS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            int version = row.getInt(1);
            if (version < OLDEST_SERVER) {
                problems.add("database: PostgreSQL 14 or newer is needed, this is " + version / 10_000);
            }
            String synchronousCommit = row.getString(2);
            if (!settings.allowAsynchronousCommit()
                    && (synchronousCommit.equals("off") || synchronousCommit.equals("local"))) {
                problems.add("onceward.allow-asynchronous-commit: synchronous_commit is " + synchronousCommit
                        + ", so an acknowledged effect can be lost in a crash or failover; set it to on for this role"
                        + " or database, or accept the loss by setting this to true");
            }
            if (!row.getString(3).equals("on")) {
                problems.add("database: standard_conforming_strings must be on, it decides where an SQL text ends");
            }
            if (!row.getString(5).equals("read committed")) {
                problems.add("database: the default isolation level is " + row.getString(5)
                        + ", it must be read committed: set default_transaction_isolation for this role or pool");
            }
            if (row.getBoolean(4)) {
                throw new SQLException("the database is a standby and takes no writes", "25006");
            }
            return version;
        }
    }

    private void checkGroup(Connection connection, Tables tables, List<String> problems) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(GROUP))) {
            statement.setString(1, settings.consumer());
            statement.setString(2, settings.groupId());
            statement.setString(3, settings.deadLetters().replayTopic(settings.consumer()));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                String group = row.getString(1);
                if (!group.equals(settings.groupId())) {
                    problems.add("onceward.group-id: the consumer " + settings.consumer() + " belongs to the group "
                            + group + ", not " + settings.groupId()
                            + ": two groups under one name would take partitions from each other for ever."
                            + " Use that group, another consumer name, or change its row in the table consumers");
                }
            }
        }
    }

    private void warnOfUnreachableWorkers(Connection connection, Tables tables) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(UNREACHABLE))) {
            statement.setString(1, settings.consumer());
            statement.setLong(2, tables.lockClass());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    LOG.atWarn()
                            .addKeyValue(EventNames.KEY, EventNames.HOLDER_UNREACHABLE)
                            .addKeyValue("role", row.getString(1))
                            .log(
                                    "A worker of this consumer connects as {}, whose sessions this role may not end:"
                                            + " a takeover from it may have to wait. Use one role for all workers{}",
                                    row.getString(1),
                                    row.getBoolean(2)
                                            ? ", not a superuser"
                                            : ", or grant pg_signal_backend to the role of each");
                }
            }
        }
    }

    /**
     * A pooler answers the driver's start with a process number of its own. A statement that the driver prepares in one
     * session is not there in the next, unless the pooler keeps it: that cannot be asked, so this is not refused.
     */
    private static void warnOfPooler(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(BaseConnection.class)) {
            return; // a problem already
        }
        BaseConnection driver = Database.driver(connection);
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_backend_pid()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getInt(1) != driver.getBackendPID() && driver.getPrepareThreshold() > 0) {
                LOG.atWarn()
                        .addKeyValue(EventNames.KEY, EventNames.POOLER_FOUND)
                        .log(
                                "The database is reached through a pooler: unless it keeps prepared statements (PgBouncer 1.21"
                                        + " with max_prepared_statements), add prepareThreshold=0 to the JDBC URL");
            }
        }
    }
}
