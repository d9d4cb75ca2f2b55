package dev.onceward.dlq.connect;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.migrations.SchemaVersion;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections to the database. */
final class Databases implements DataSource {
    /** Held: a logger that nobody refers to forgets its level. */
    private static final Logger DRIVER_LOG = Logger.getLogger("org.postgresql");

    private static final String SCHEMAS = "SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
            + " ON n.oid = c.relnamespace WHERE c.relname = ? AND c.relkind = 'r' ORDER BY 1";

    private final DatabaseAddress address;
    private final Properties properties = new Properties();
    private final Secrets secrets;

    Databases(GivenSettings given, Secrets secrets) {
        this.secrets = secrets;
        this.address = DatabaseAddress.parse(given.get(SettingNames.DB_URL, "the database's address"));
        // The driver would log what it cannot read, and knows nothing of secrets.
        DRIVER_LOG.setLevel(Level.OFF);
        address.secrets().forEach(secrets::add);
        if (!address.secrets().isEmpty() && given.isFlag(SettingNames.DB_URL)) {
            throw new UsageException("--db-url: holds a password, which every user of this machine can read in the list"
                    + " of processes; put it into PGPASSWORD or ~/.pgpass");
        }
        set("user", given.find(SettingNames.DB_USER).orElse(address.user()));
        // Without a password the driver itself looks into the file of PGPASSFILE, else into ~/.pgpass.
        String password = address.password() == null ? given.variable("PGPASSWORD") : address.password();
        secrets.add(password);
        set("password", password);
        set("ApplicationName", "dlq");
        set("connectTimeout", "10");
        set("loginTimeout", "15");
        set("tcpKeepAlive", "true");
        // Statements prepared by name live in a session, which PgBouncer in transaction mode does not keep.
        set("prepareThreshold", "0");
    }

    String address() {
        return address.toString();
    }

    Connection open() {
        try {
            return getConnection();
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    CannotConnectException failure(SQLException e) {
        return new CannotConnectException(
                "Cannot connect to PostgreSQL at " + address + ": "
                        + secrets.hide(String.valueOf(e.getMessage())).replaceAll("\\.+$", "")
                        + ". " + advice(String.valueOf(e.getSQLState())),
                e);
    }

    /** Where nobody answers, the password is not what is wrong. */
    private String advice(String state) {
        if (state.equals("08001") || state.equals("08006") || state.equals("3D000")) {
            return "Look at --db-url";
        }
        return "Look at --db-url, --db-user, and PGPASSWORD or ~/.pgpass"
                + (properties.containsKey("user")
                        ? ""
                        : ". --db-user is not given, so the user is the one of this machine: "
                                + System.getProperty("user.name"));
    }

    /** The schemas with Onceward's tables, of which the catalogue tells every role. */
    List<String> schemas() throws SQLException {
        try (Connection connection = getConnection();
                PreparedStatement statement = connection.prepareStatement(SCHEMAS)) {
            statement.setString(1, SchemaVersion.HISTORY_TABLE);
            try (ResultSet row = statement.executeQuery()) {
                List<String> schemas = new ArrayList<>();
                while (row.next()) {
                    schemas.add(row.getString(1));
                }
                return schemas;
            }
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return DriverManager.getConnection(address.jdbc(), properties);
    }

    private void set(String name, @Nullable String value) {
        if (value != null) {
            properties.setProperty(name, value);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
