package dev.onceward.runtime;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onceward.config.ConsumerSettings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The pool of a runtime: made here and closed with it, or the team's own, which is left alone. */
final class OwnedPool implements AutoCloseable {
    /** Beyond one for each lane: heartbeat, takeovers, positions and releases, maintenance and the ending of sessions. */
    private static final int BESIDE_LANES = 4;

    private static final Pattern PASSWORD = Pattern.compile("(?<=[?&])(password|sslpassword)=([^&]*)&?");

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final @Nullable HikariDataSource own;

    private OwnedPool(DataSource dataSource, @Nullable HikariDataSource own) {
        this.dataSource = dataSource;
        this.own = own;
    }

    static OwnedPool ofTeam(DataSource dataSource) {
        return new OwnedPool(dataSource, null);
    }

    static OwnedPool make(ConsumerSettings settings, ConsumerSettings.DatabaseSettings database, String workerId) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("onceward-" + settings.consumer());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setJdbcUrl(withoutPasswords(database.url(), config));
        config.setAutoCommit(false);
        config.setMaximumPoolSize(settings.concurrency().lanes()
                // A handler that does not come back keeps its connection.
                + settings.limits().maxStuckHandlers()
                + BESIDE_LANES);
        config.setConnectionTimeout(CONNECT_LIMIT.toMillis());
        // A database that is down at start is waited for by whoever asks, not by the pool's constructor.
        config.setInitializationFailTimeout(-1);
        config.addDataSourceProperty("ApplicationName", workerId);
        config.addDataSourceProperty("connectTimeout", Long.toString(CONNECT_LIMIT.toSeconds()));
        config.addDataSourceProperty("tcpKeepAlive", "true");
        // The net below the runtime's own clock, for a half-open socket.
        Duration longest = settings.limits().longestSilence(settings.concurrency());
        config.addDataSourceProperty("socketTimeout", Long.toString(longest.toSeconds()));
        HikariDataSource pool = new HikariDataSource(config);
        return new OwnedPool(pool, pool);
    }

    /** The driver logs the URL as it stands when it is told to say much, so passwords go beside it. */
    private static String withoutPasswords(String url, HikariConfig config) {
        Matcher matcher = PASSWORD.matcher(url);
        while (matcher.find()) {
            String value = URLDecoder.decode(matcher.group(2), StandardCharsets.UTF_8);
            if (matcher.group(1).equals("password")) {
                config.setPassword(value); // what the URL says counts, as with the driver itself
            } else {
                config.addDataSourceProperty(matcher.group(1), value);
            }
        }
        return matcher.replaceAll("");
    }

    DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }
}
