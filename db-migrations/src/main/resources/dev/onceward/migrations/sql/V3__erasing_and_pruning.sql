-- What dlq erase leaves, and whether claims were ever pruned, version 3.

-- The comment said that the message id goes, too. It stays.
COMMENT ON COLUMN dead_letters.erased_at IS 'When key and error texts were removed for good; null: never. The message id stays: without it no claim of the message could be found, and nobody could tell a copy of it from one that was never processed';

-- ---------------------------------------------------------------------------------------------------------------------
-- partition_generations.pruned_through begins anew with each topic that is made again, and a message may have come through
-- any partition, also of the replay topic: only the consumer remembers for good.
ALTER TABLE consumers ADD COLUMN claims_pruned_at timestamptz;
COMMENT ON COLUMN consumers.claims_pruned_at IS 'When claims of this consumer were last pruned, to about a minute, written in the transaction that deletes them; never null again: only while it is null does a missing claim say that there never was one';
-- What was pruned before this version, nobody knows.
UPDATE consumers SET claims_pruned_at = clock_timestamp();
