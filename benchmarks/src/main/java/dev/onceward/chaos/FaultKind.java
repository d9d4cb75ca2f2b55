package dev.onceward.chaos;

import java.util.Locale;

/** What can befall a running system. The names stand in the report: {@code worker-kill}. */
@SuppressWarnings("ImmutableEnumChecker") // a fault is a method without state
enum FaultKind {
    /** SIGKILL; another worker starts in its place. */
    WORKER_KILL(Victim.WORKER, WorkerFaults::kill),
    /** SIGSTOP for longer than its lease, then SIGCONT. */
    WORKER_FREEZE(Victim.WORKER, WorkerFaults::freeze),
    /** SIGTERM, then another in its place: a deploy. */
    WORKER_REPLACE(Victim.WORKER, WorkerFaults::replace),
    /** One more for a while: partitions move there and back. */
    WORKER_ADD(Victim.WORKERS, WorkerFaults::add),
    /** One runs for a while on a machine whose clock is minutes off. */
    WORKER_CLOCK_OFF(Victim.WORKER, WorkerFaults::wrongClock),

    /** The connections to PostgreSQL of one worker are reset. */
    POSTGRES_CUT(Victim.WORKER_NETWORK, NetworkFaults::cutPostgres),
    /** They become slow. */
    POSTGRES_DELAY(Victim.WORKER_NETWORK, NetworkFaults::delayPostgres),
    /** Nothing of them arrives any more, on either side. */
    POSTGRES_SILENT(Victim.WORKER_NETWORK, NetworkFaults::silencePostgres),
    /** What the server sends does not arrive; what it is sent does. */
    POSTGRES_ONE_WAY(Victim.WORKER_NETWORK, NetworkFaults::loseAnswersOfPostgres),
    /** A COMMIT happens, and its answer is lost. */
    COMMIT_ANSWER_LOST(Victim.WORKER_NETWORK, NetworkFaults::loseCommitAnswer),
    /** A COMMIT does not reach the server. */
    COMMIT_LOST(Victim.WORKER_NETWORK, NetworkFaults::loseCommit),

    /** Partitions are taken from workers that live, by raising their generations. */
    PARTITIONS_EVICTED(Victim.POSTGRES, OwnershipFaults::evict),
    /** {@code pg_terminate_backend} of a session that has a transaction open. */
    SESSION_TERMINATED(Victim.POSTGRES, PostgresFaults::terminate),
    /** SIGSTOP of a session's process, then SIGCONT. */
    SESSION_FROZEN(Victim.POSTGRES, PostgresFaults::freezeSession),
    /** SIGKILL of a session's process: the server throws all others out and recovers. */
    SESSION_KILLED(Victim.POSTGRES, PostgresFaults::killSession),
    /** Restarted in an orderly way. */
    POSTGRES_RESTART(Victim.POSTGRES, PostgresFaults::restart),
    /** Stopped at once, recovered at the next start. */
    POSTGRES_CRASH(Victim.POSTGRES, PostgresFaults::crash),
    /** Frozen as a whole. */
    POSTGRES_FREEZE(Victim.POSTGRES, PostgresFaults::freeze),
    /** The synchronous standby is frozen or killed, and comes back. */
    STANDBY_LOST(Victim.POSTGRES, PostgresFaults::loseStandby),
    /** The primary is killed, and the standby takes its place. */
    STANDBY_PROMOTED(Victim.POSTGRES, PostgresFaults::failOver),

    /** SIGKILL of a broker, which comes back a little later. */
    BROKER_KILL(Victim.BROKERS, BrokerFaults::kill),
    /** SIGSTOP of a broker, then SIGCONT. */
    BROKER_FREEZE(Victim.BROKERS, BrokerFaults::freeze),
    /** A broker is restarted in an orderly way. */
    BROKER_RESTART(Victim.BROKERS, BrokerFaults::restart),
    /** Leaders move to other brokers. */
    LEADERS_MOVE(Victim.BROKERS, BrokerFaults::moveLeaders),
    /** All clients' connections to a broker are reset. */
    KAFKA_CUT(Victim.BROKERS, NetworkFaults::cutKafka),
    /** They become slow. */
    KAFKA_DELAY(Victim.BROKERS, NetworkFaults::delayKafka),
    /** Nothing of them arrives any more, on either side. */
    KAFKA_SILENT(Victim.BROKERS, NetworkFaults::silenceKafka),
    /** What the broker sends does not arrive. */
    KAFKA_ONE_WAY(Victim.BROKERS, NetworkFaults::loseAnswersOfKafka),
    /** The topic gets partitions. */
    PARTITIONS_ADDED(Victim.BROKERS, BrokerFaults::addPartitions);

    /** What is hurt: two faults of one victim wait for each other, unless there are several of it. */
    enum Victim {
        /** One of the workers; at least one is always left alone. */
        WORKER(2),
        /** The workers as such. */
        WORKERS(1),
        /** One worker's way to PostgreSQL. */
        WORKER_NETWORK(1),
        /** The database server. */
        POSTGRES(1),
        /** The brokers, of which no more than one may be missing. */
        BROKERS(1);

        final int atOnce;

        Victim(int atOnce) {
            this.atOnce = atOnce;
        }
    }

    final Victim victim;
    final Fault fault;

    FaultKind(Victim victim, Fault fault) {
        this.victim = victim;
        this.fault = fault;
    }

    /** As in the report. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
