package dev.onceward.dlq.transfer;

import dev.onceward.postgres.UnprocessedProof;

/**
 * What the database still knows about whether a message of a file took effect, as conditions on a row {@code w} of letters:
 * {@code consumer_name}, {@code message_id}, {@code payload_hash}, {@code edited_hash}, {@code topic_id},
 * {@code origin_topic}, {@code origin_partition}, {@code origin_offset}, {@code reason}, and {@code is_first}: its record is the one that first
 * failed.
 */
final class ImportProof {
    /** It did: there is its claim, or a dead letter of the same content that was resolved, which counts as a claim. */
    static final String TOOK_EFFECT =
            "(EXISTS (SELECT FROM {processed_messages} p WHERE p.consumer_name = w.consumer_name"
                    + " AND p.message_id = w.message_id AND p.payload_hash IN (w.payload_hash, w.edited_hash))"
                    + " OR EXISTS (SELECT FROM {dead_letters} r WHERE r.consumer_name = w.consumer_name AND r.message_id = w.message_id"
                    + " AND r.status = 'RESOLVED' AND (r.payload_hash IN (w.payload_hash, w.edited_hash)"
                    + " OR r.edited_payload_hash IN (w.payload_hash, w.edited_hash))))";

    /**
     * If it did, there would be a claim.
     *
     * <p>A row of {@code dead_letters} with one of the reasons of {@link UnprocessedProof} is taken by the workers for the
     * proof that its message had not taken effect: with it a replay runs although the claim may have been
     * pruned. The row that a worker writes is one, and keeps the claim from being pruned as long as it is open. A file is
     * none: what was DEAD when it was exported may have been replayed since, its row resolved and lost, its claim pruned.
     * Putting it back as what it was would make the next replay double the effect.
     *
     * <p>So the reason is kept only where a missing claim says that there never was one. That is where no claim of this
     * consumer has ever been pruned, of whichever partition: the message may have come through another one, and its replay
     * came through the replay topic. {@code pruned_through} does not tell: it begins anew with a topic that is made again.
     * And where the origin's partition is still of the topic with the id in the file: what the letter tells is of this one.
     * Where the record is a replay, or nothing but the dead-letter topic was read, the id of the origin's topic is not
     * known, and nobody can tell. All these become TOO_OLD, which an operator may replay by asserting what no table knows.
     *
     * <p>Both conditions are asked in the statement that inserts: pruning deletes a claim and sets
     * {@code claims_pruned_at} in one transaction, so that one snapshot shows one or the other.
     */
    static final String CLAIM_WOULD_BE_THERE = "(w.is_first AND EXISTS (SELECT FROM {consumers} c"
            + " WHERE c.consumer_name = w.consumer_name AND c.claims_pruned_at IS NULL)"
            + " AND EXISTS (SELECT FROM {partition_generations} g WHERE g.consumer_name = w.consumer_name"
            + " AND g.topic = w.origin_topic AND g.partition = w.origin_partition AND g.topic_id = w.topic_id))";

    /** As a row it would be taken for a proof that is none, see {@link #CLAIM_WOULD_BE_THERE}. */
    static final String WOULD_BE_TOO_OLD =
            "(w.reason IN " + UnprocessedProof.REASONS + " AND NOT " + CLAIM_WOULD_BE_THERE + ")";

    /**
     * Its data were erased, or may have been: by its coordinates alone, since nobody can ask an erased message which time
     * it had, and by its id together with its payload, which a second message may have brought, too. Wrong for a message at
     * the same place of a topic made again; what is refused can be sent anew, and what got out again cannot be taken back.
     */
    static final String ERASED = "(EXISTS (SELECT FROM {dead_letters} e WHERE e.consumer_name = w.consumer_name"
            + " AND e.origin_topic = w.origin_topic AND e.origin_partition = w.origin_partition"
            + " AND e.origin_offset = w.origin_offset AND e.erased_at IS NOT NULL)"
            + " OR EXISTS (SELECT FROM {dead_letters} e WHERE e.consumer_name = w.consumer_name"
            + " AND e.message_id = w.message_id AND e.erased_at IS NOT NULL"
            + " AND (e.payload_hash = w.payload_hash OR e.edited_payload_hash = w.payload_hash)))";

    private ImportProof() {}
}
