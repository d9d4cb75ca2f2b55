package dev.onceward.engine;

import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Who owns which partition, and how far it has come, as the database says. Each call is a transaction. */
interface Ownerships {

    /** What is stored about the partitions of these topics, by topic and partition; topics never seen are absent. */
    Map<String, Map<Integer, StoredPosition>> find(Collection<String> topics, Duration limit) throws SQLException;

    /** Remembers where the consumer begins in partitions never seen before. */
    void remember(Map<GenerationTable.Candidate, Long> positions, Duration limit) throws SQLException;

    /** Makes sure that each partition has a row, and gives its fence key. */
    Map<GenerationTable.Candidate, Integer> fenceKeys(Collection<GenerationTable.Candidate> candidates, Duration limit)
            throws SQLException;

    /** Takes over those that nobody works on, without waiting; by fence key. */
    Map<Integer, Taken> takeFree(Collection<GenerationTable.Takeover> takeovers, Duration limit) throws SQLException;

    /** Takes one over behind the transactions of its old owner; empty: they had not ended when the grace was over. */
    Optional<Taken> takeBehind(GenerationTable.Takeover takeover, Duration grace) throws SQLException;

    /** Ends the sessions that work on a partition; returns how many. */
    int endHolders(int fenceKey, Duration limit) throws SQLException;

    /** Marks partitions as given back in order, those that still are the worker's; with the watermarks that are known. */
    void release(Map<Fence, OptionalLong> watermarks, Duration limit) throws SQLException;

    /**
     * A partition is taken over.
     *
     * @param facts what is stored about its unfinished records
     */
    record Taken(Ownership ownership, StoredFacts facts) {}
}
