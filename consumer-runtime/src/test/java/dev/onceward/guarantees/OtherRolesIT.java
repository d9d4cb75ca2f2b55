package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.postgres.Tables;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A takeover may have to end the sessions of the old owner: whether this role may is found out at start. */
class OtherRolesIT {
    private final Ledger ledger = new Ledger(1);
    private final EventLog events = EventLog.of(ledger.name);
    private final List<String> roles = new ArrayList<>();

    @AfterEach
    void end() {
        events.close();
        ledger.close();
        roles.forEach(role -> {
            ledger.execute("DROP OWNED BY " + role);
            ledger.execute("DROP ROLE " + role); // roles are the whole server's
        });
    }

    /** Idle: it holds no lock at that moment. */
    @Test
    void aWorkerWhoseSessionsThisRoleMayNotEndIsWarnedOfAlsoWhenItIsIdle() {
        String owner = role("owner");
        start(as(owner));
        Ledger.await().until(() -> ledger.count("SELECT count(*) FROM consumer_workers") == 1);

        start(as(role("other")));
        assertThat(events.count(EventNames.HOLDER_UNREACHABLE)).isEqualTo(1);
        assertThat(events.saw("connects as " + owner + ", whose sessions this role may not end"))
                .isTrue();
        assertThat(events.saw("or grant pg_signal_backend to the role of each")).isTrue();
    }

    @Test
    void aSuperusersSessionsCannotBeEndedByAnyGrant() {
        start(ledger.consumer());
        Ledger.await().until(() -> ledger.count("SELECT count(*) FROM consumer_workers") == 1);

        String other = role("other");
        ledger.execute("GRANT pg_signal_backend TO " + other);
        start(as(other));
        assertThat(events.count(EventNames.HOLDER_UNREACHABLE)).isEqualTo(1);
        assertThat(events.saw("Use one role for all workers, not a superuser")).isTrue();
    }

    @Test
    void whoeverMayEndThemIsNotWarned() {
        String owner = role("owner");
        start(as(owner));
        Ledger.await().until(() -> ledger.count("SELECT count(*) FROM consumer_workers") == 1);
        // Given up before the next one comes, which would have to be able to end its sessions as well.
        closing(as(owner));
        String member = role("member");
        ledger.execute("GRANT " + owner + " TO " + member);
        closing(as(member));
        String signaller = role("signaller");
        ledger.execute("GRANT pg_signal_backend TO " + signaller);
        closing(as(signaller));
        closing(ledger.consumer()); // a superuser
        assertThat(events.count(EventNames.HOLDER_UNREACHABLE)).isZero();
    }

    /** The old owner's session is a superuser's, which nobody else may end. */
    @Test
    void F51_aTakeoverThatMayNotEndTheHolderSaysSoAndWaitsForIt() throws SQLException {
        ledger.send("k", "m0", "10");
        ledger.flush();
        ConsumerRuntime before = ledger.start(Ledger.HANDLER);
        Ledger.await().until(() -> ledger.committed() == 1);
        before.close();
        String other = role("other");
        try (Connection holder = ledger.dataSource.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            // As a transaction of the old owner holds it.
            statement.execute("SELECT pg_advisory_xact_lock_shared(" + new Tables("public").lockClass()
                    + ", fence_key) FROM partition_generations WHERE topic = '" + ledger.topic + "'");
            ledger.send("k", "m1", "10");
            ledger.flush();
            ConsumerRuntime next = start(as(other).limits(Ledger.impatient()));
            // The grace is a second; it is tried again and again.
            Ledger.await().until(() -> events.count(EventNames.HOLDER_NOT_ENDED) > 1);
            assertThat(events.saw("grant pg_signal_backend")).isTrue();
            assertThat(holder.isValid(1)).isTrue();
            assertThat(ledger.entries()).isEqualTo(1);
            assertThat(next.health().live()).isTrue();
            holder.rollback();
        }
        Ledger.await().until(() -> ledger.committed() == 2);
        assertThat(ledger.entriesOf("k")).containsExactly("m0", "m1");
        assertThat(events.count(EventNames.HOLDER_ENDED)).isZero();
    }

    /** Locks of the same key in another database of the server are another installation's. */
    @Test
    void workersOfAnotherDatabaseAreNobodysBusiness() {
        Ledger elsewhere = new Ledger(1);
        try {
            String owner = role("owner");
            grant(elsewhere, owner);
            Blocker blocker = Blocker.polite();
            elsewhere.send("k", "m", "10");
            elsewhere.flush();
            elsewhere.start(
                    elsewhere.consumer().database(elsewhere.postgres.jdbcUrl(elsewhere.databaseName), owner, "p"),
                    blocker);
            Ledger.await().until(() -> blocker.blocked() == 1);

            start(as(role("other")));
            assertThat(events.count(EventNames.HOLDER_UNREACHABLE)).isZero();
            blocker.open();
        } finally {
            elsewhere.close();
            roles.forEach(role -> elsewhere.execute("DROP OWNED BY " + role));
        }
    }

    private String role(String what) {
        String role = what + "_" + ledger.name;
        ledger.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
        roles.add(role);
        grant(ledger, role);
        return role;
    }

    private static void grant(Ledger to, String role) {
        to.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role);
        to.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO " + role);
    }

    private ConsumerRuntimeBuilder as(String role) {
        return ledger.consumer().database(ledger.postgres.jdbcUrl(ledger.databaseName), role, "p");
    }

    private void closing(ConsumerRuntimeBuilder builder) {
        start(builder).close();
    }

    /** In a thread of the consumer's name, so that its log is found. */
    private ConsumerRuntime start(ConsumerRuntimeBuilder builder) {
        Thread current = Thread.currentThread();
        String name = current.getName();
        current.setName("starting " + ledger.name);
        try {
            return ledger.start(builder, Ledger.HANDLER);
        } finally {
            current.setName(name);
        }
    }
}
