package dev.onceward.testsupport.proxy;

import dev.onceward.testsupport.PostgresServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A {@link TcpProxy} before a PostgreSQL server that knows when a COMMIT passes, and when its answer does, whether it is sent as a
 * plain query, prepared at the server, or inside a longer text. With this a test makes both halves of the unknown outcome: the
 * connection dies during COMMIT, and the transaction {@linkplain #loseNextCommitAnswer did} or {@linkplain
 * #cutBeforeNextCommit did not} commit.
 *
 * <p>Each moment strikes once, the first connection that comes. To have it strike a certain transaction among others, name
 * a text that the transaction has sent before: a piece of SQL, or a value. Requests for encryption are declined. Thread-safe.
 */
public final class PostgresProxy implements AutoCloseable {

    private final PostgresServer server;
    private final List<CommitMoment> moments = new CopyOnWriteArrayList<>();
    private final TcpProxy network;

    private PostgresProxy(PostgresServer server) {
        this.server = server;
        this.network = TcpProxy.to(server.host(), server.port(), this::filters);
    }

    /** Starts a proxy before a server. */
    public static PostgresProxy to(PostgresServer server) {
        return new PostgresProxy(server);
    }

    /** The network itself: delay, drop, stall, cut, refuse. */
    public TcpProxy network() {
        return network;
    }

    /** JDBC URL of a database by way of this proxy, without user and password. */
    public String jdbcUrl(String database) {
        String direct = server.jdbcUrl(database);
        int parameters = direct.indexOf('?');
        return "jdbc:postgresql://" + network.host() + ":" + network.port() + "/" + database + "?sslmode=disable"
                + (parameters < 0 ? "" : "&" + direct.substring(parameters + 1));
    }

    /** Unpooled connections to a database by way of this proxy. */
    public DataSource dataSource(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(jdbcUrl(database));
        source.setUser(server.user());
        source.setPassword(server.password());
        return source;
    }

    /**
     * The next COMMIT reaches the server and takes effect; its answer is lost and the connection is reset.
     *
     * @return completes with the pid of the server's session when it struck; cancel it to call it off
     */
    public CompletableFuture<Integer> loseNextCommitAnswer() {
        return loseNextCommitAnswer("");
    }

    /** The same for the next transaction that has sent this text, in SQL or as a value. */
    public CompletableFuture<Integer> loseNextCommitAnswer(String sentBefore) {
        return atNextCommitAnswer(sentBefore, ProxiedConnection::cut);
    }

    /**
     * The connection is reset before the next COMMIT reaches the server, so that it does not take effect. The server rolls
     * back as soon as it notices, which may be a moment later.
     *
     * @return completes with the pid of the server's session when it struck; cancel it to call it off
     */
    public CompletableFuture<Integer> cutBeforeNextCommit() {
        return cutBeforeNextCommit("");
    }

    /** The same for the next transaction that has sent this text, in SQL or as a value. */
    public CompletableFuture<Integer> cutBeforeNextCommit(String sentBefore) {
        return atNextCommit(sentBefore, ProxiedConnection::cut);
    }

    /** Does something before the next COMMIT of a transaction that has sent this text (any, if empty) is forwarded. */
    public CompletableFuture<Integer> atNextCommit(String sentBefore, Action action) {
        return waitFor(new CommitMoment(false, sentBefore, new Moment<>(action)));
    }

    /**
     * Does something before the answer to the next successful COMMIT of a transaction that has sent this text (any, if
     * empty) is forwarded: the transaction has committed, and its client does not know yet.
     */
    public CompletableFuture<Integer> atNextCommitAnswer(String sentBefore, Action action) {
        return waitFor(new CommitMoment(true, sentBefore, new Moment<>(action)));
    }

    /** Back to an honest network; moments that have not come are called off (their futures are cancelled). */
    public void reset() {
        moments.forEach(waiting -> waiting.moment().cancel());
        moments.clear();
        network.reset();
    }

    /** Stops listening and cuts what is open. */
    @Override
    public void close() {
        moments.forEach(waiting -> waiting.moment().cancel());
        moments.clear();
        network.close();
    }

    private CompletableFuture<Integer> waitFor(CommitMoment moment) {
        moments.removeIf(waiting -> waiting.moment().isOver());
        moments.add(moment);
        return moment.moment().struck();
    }

    private FilterPair filters(Connection connection) {
        PostgresSession session = new PostgresSession(moments, connection);
        return new FilterPair(
                new FrameFilter(new ClientMessages(session, connection)), new FrameFilter(new ServerMessages(session)));
    }
}
