-- The tables of Onceward, version 1. Names are unqualified: the migration sets the search path to the configured schema.
--
-- Storage parameters. PostgreSQL's defaults wait until 20 % of a table is dead, which for a claims table of a hundred
-- million rows is far too late, and pack pages full, which makes every update of a small hot table a new index entry.

-- ---------------------------------------------------------------------------------------------------------------------
-- One row per consumer name: facts about it that no worker may contradict.
CREATE TABLE consumers (
  consumer_name varchar(100) PRIMARY KEY,
  group_id      varchar(255) NOT NULL,
  created_at    timestamptz  NOT NULL DEFAULT now()
);
COMMENT ON TABLE consumers IS 'Facts about a consumer name. Written at the first start of a worker.';
COMMENT ON COLUMN consumers.group_id IS 'Kafka group of this consumer; a worker with another one is refused at start, since two groups would work every message twice at once';

-- ---------------------------------------------------------------------------------------------------------------------
-- The claims: the proof that an effect happened. Inserted in the transaction of the effect, never updated, pruned by age.
CREATE TABLE processed_messages (
  consumer_name varchar(100)             NOT NULL,
  message_id    varchar(200) COLLATE "C" NOT NULL,   -- "C": byte order, the same on every operating system, and cheap
  processed_at  timestamptz              NOT NULL DEFAULT clock_timestamp(),
  payload_hash  bigint                   NOT NULL,
  fence_key     int                      NOT NULL,
  source_offset bigint                   NOT NULL,
  generation    bigint                   NOT NULL,
  PRIMARY KEY (consumer_name, message_id)
) WITH (
  -- Vacuumed after inserts too: else the first vacuum after months freezes the whole table in one go, and index-only
  -- reads find no page all-visible. Fixed steps and small fractions, so that a large table is not left until it is huge.
  autovacuum_vacuum_insert_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.05
);
-- For pruning. A B-tree and not BRIN: a BRIN summary does not shrink when pruning empties pages that new claims then fill.
CREATE INDEX processed_messages_by_age ON processed_messages (consumer_name, processed_at);
COMMENT ON TABLE processed_messages IS 'Claims. A row is the proof that the effect of this message of this consumer committed: both commit in one transaction.';
COMMENT ON COLUMN processed_messages.payload_hash IS 'Hash of the value bytes: tells a duplicate from an id that was used again for other content';
COMMENT ON COLUMN processed_messages.fence_key IS 'partition_generations.fence_key of the partition that the claimed record came from; no foreign key: it would cost a row lock per claim';
COMMENT ON COLUMN processed_messages.source_offset IS 'Offset of the claimed record in that partition';
COMMENT ON COLUMN processed_messages.generation IS 'Generation under which the claim committed';

-- ---------------------------------------------------------------------------------------------------------------------
-- The fences: who owns a partition, by PostgreSQL's word.
CREATE TABLE partition_generations (
  consumer_name     varchar(100) NOT NULL,
  topic             varchar(249) NOT NULL,
  partition         int          NOT NULL,
  fence_key         int          GENERATED ALWAYS AS IDENTITY UNIQUE,
  topic_id          uuid         NOT NULL,
  generation        bigint       NOT NULL DEFAULT 0,
  worker_id         varchar(100),
  acquired_at       timestamptz,
  released_at       timestamptz,
  watermark         bigint,
  pruned_through    bigint       NOT NULL DEFAULT -1,
  resume_offset     bigint,
  stuck_takeovers   int          NOT NULL DEFAULT 0,
  unclean_takeovers bigint       NOT NULL DEFAULT 0,
  PRIMARY KEY (consumer_name, topic, partition)
) WITH (
  -- Few rows, updated by every heartbeat. Room in the page, and no index on what changes: each update stays in its page
  -- (HOT). Vacuumed after a fixed number of dead rows, since every opening of a transaction reads this table.
  fillfactor = 50,
  autovacuum_vacuum_threshold = 200,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_analyze_threshold = 1000,
  autovacuum_analyze_scale_factor = 0
);
COMMENT ON TABLE partition_generations IS 'Fencing token of each partition: a transaction commits only if the generation is its worker''s own.';
COMMENT ON COLUMN partition_generations.fence_key IS 'Second half of the key of the advisory lock that transactions share and a takeover holds alone';
COMMENT ON COLUMN partition_generations.topic_id IS 'Kafka''s id of the topic: another one means that the topic was deleted and made again';
COMMENT ON COLUMN partition_generations.generation IS 'Grows by one at every takeover; 0: never taken';
COMMENT ON COLUMN partition_generations.worker_id IS 'Owner, or last owner if released_at is set; null: never taken';
COMMENT ON COLUMN partition_generations.released_at IS 'Null while owned; still null at the next takeover: the owner before was lost (an unclean takeover)';
COMMENT ON COLUMN partition_generations.watermark IS 'Lowest offset that is not finished, stored by the heartbeat; null: never stored';
COMMENT ON COLUMN partition_generations.pruned_through IS 'Claims of offsets up to this one may have been pruned; -1: none';
COMMENT ON COLUMN partition_generations.resume_offset IS 'Lowest offset held at the last takeover: tells at the next one whether there was progress';
COMMENT ON COLUMN partition_generations.stuck_takeovers IS 'Unclean takeovers in a row without progress: a message may be killing its workers';
COMMENT ON COLUMN partition_generations.unclean_takeovers IS 'All unclean takeovers ever';

-- ---------------------------------------------------------------------------------------------------------------------
-- The workers, as far as they are heard of.
CREATE TABLE consumer_workers (
  consumer_name varchar(100) NOT NULL,
  worker_id     varchar(100) NOT NULL,
  group_id      varchar(255) NOT NULL,
  host          varchar(255) NOT NULL,
  version       varchar(50)  NOT NULL,
  started_at    timestamptz  NOT NULL,
  heartbeat_at  timestamptz  NOT NULL,
  lease         interval     NOT NULL,
  PRIMARY KEY (consumer_name, worker_id)
) WITH (
  -- As partition_generations: few rows, each updated every few seconds.
  fillfactor = 50,
  autovacuum_vacuum_threshold = 200,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_analyze_threshold = 1000,
  autovacuum_analyze_scale_factor = 0
);
COMMENT ON TABLE consumer_workers IS 'Running workers. All times are the database''s.';
COMMENT ON COLUMN consumer_workers.lease IS 'A worker whose heartbeat_at is older than this is stale; nobody evicts it for that';

-- ---------------------------------------------------------------------------------------------------------------------
-- Failed attempts of records that are still tried. Keyed by the record's own coordinates.
CREATE TABLE message_attempts (
  consumer_name    varchar(100) NOT NULL,
  topic            varchar(249) NOT NULL,
  partition        int          NOT NULL,
  record_offset    bigint       NOT NULL,
  topic_id         uuid         NOT NULL,
  record_timestamp bigint       NOT NULL,
  payload_hash     bigint       NOT NULL,
  message_id       varchar(200) COLLATE "C",
  attempts         int          NOT NULL,
  not_before       timestamptz  NOT NULL,
  first_failed_at  timestamptz  NOT NULL,
  last_failed_at   timestamptz  NOT NULL,
  last_error       text         NOT NULL,
  PRIMARY KEY (consumer_name, topic, partition, record_offset)
) WITH (
  -- Small and short-lived: inserted, updated a few times, deleted. During an incident it is all dead rows.
  fillfactor = 70,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_analyze_threshold = 1000,
  autovacuum_analyze_scale_factor = 0
);
COMMENT ON TABLE message_attempts IS 'Counted failed attempts of records that are still tried; deleted with the effect, or when the record becomes a dead letter.';
COMMENT ON COLUMN message_attempts.topic_id IS 'With record_timestamp and payload_hash: a row applies only to a record that is equal in all three, since a topic made again uses the same offsets again';
COMMENT ON COLUMN message_attempts.record_timestamp IS 'Milliseconds since 1970-01-01 UTC, as in the record';
COMMENT ON COLUMN message_attempts.message_id IS 'Null: no valid id could be read';
COMMENT ON COLUMN message_attempts.not_before IS 'Earliest time of the next attempt';

-- ---------------------------------------------------------------------------------------------------------------------
-- Records given up on. This table is authoritative: of several copies in the dead-letter topic it names the one that counts.
CREATE TABLE dead_letters (
  consumer_name       varchar(100) NOT NULL,
  topic               varchar(249) NOT NULL,
  partition           int          NOT NULL,
  record_offset       bigint       NOT NULL,
  topic_id            uuid         NOT NULL,
  record_timestamp    bigint       NOT NULL,
  payload_hash        bigint       NOT NULL,
  origin_topic        varchar(249) NOT NULL,
  origin_partition    int          NOT NULL,
  origin_offset       bigint       NOT NULL,
  origin_timestamp    bigint       NOT NULL,
  message_id          varchar(200) COLLATE "C",
  record_key          bytea,
  status              varchar(10)  NOT NULL
    CONSTRAINT dead_letters_status CHECK (status IN ('PENDING', 'DEAD', 'REPLAYED', 'RESOLVED', 'DISCARDED')),
  dlt_topic           varchar(249),
  dlt_partition       int,
  dlt_offset          bigint,
  reason              varchar(40)  NOT NULL,
  error_class         text         NOT NULL,
  error_message       text         NOT NULL,
  error_stacktrace    text         NOT NULL,
  attempts            int          NOT NULL,
  first_failed_at     timestamptz  NOT NULL,
  failed_at           timestamptz  NOT NULL,
  dead_at             timestamptz,
  worker_id           varchar(100) NOT NULL,
  generation          bigint       NOT NULL,
  replays             int          NOT NULL DEFAULT 0,
  replayed_at         timestamptz,
  edited_payload_hash bigint,
  resolved_at         timestamptz,
  -- topic_id too: a topic made again uses the same offsets again.
  PRIMARY KEY (consumer_name, topic, partition, record_offset, topic_id),
  -- A dead letter that waits for an operator must say where its payload is.
  CONSTRAINT dead_letters_published
    CHECK (status IN ('PENDING', 'RESOLVED', 'DISCARDED') OR reason = 'PAYLOAD_LOST' OR dlt_offset IS NOT NULL)
) WITH (
  -- Each row is updated two or three times in its life, and an outage may bring many at once.
  fillfactor = 85,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05
);
-- Is this message dead-lettered? Asked for every replay, and when an effect commits that may resolve a dead letter.
CREATE INDEX dead_letters_by_message ON dead_letters (consumer_name, message_id);
-- What waits for an operator. Partial: in a healthy system nearly all rows are RESOLVED.
CREATE INDEX dead_letters_open ON dead_letters (consumer_name, dead_at) WHERE status <> 'RESOLVED';
COMMENT ON TABLE dead_letters IS 'Records given up on: one row per record, whatever the number of copies in the dead-letter topic.';
COMMENT ON COLUMN dead_letters.topic IS 'Coordinates of the record itself: for a failed replay those in the replay topic';
COMMENT ON COLUMN dead_letters.record_timestamp IS 'Milliseconds since 1970-01-01 UTC, as in the record';
COMMENT ON COLUMN dead_letters.payload_hash IS 'Hash of the value bytes';
COMMENT ON COLUMN dead_letters.origin_topic IS 'Coordinates of the first failure: equal to the record''s own unless the record is a replay';
COMMENT ON COLUMN dead_letters.message_id IS 'Null: no valid id could be read';
COMMENT ON COLUMN dead_letters.status IS 'PENDING: decided, not yet acknowledged by the dead-letter topic. DEAD: waits for an operator. REPLAYED: sent again. RESOLVED: its effect committed; never left. DISCARDED: an operator gave it up';
COMMENT ON COLUMN dead_letters.dlt_topic IS 'Coordinates of the copy that counts; null while PENDING, and when the payload was lost';
COMMENT ON COLUMN dead_letters.first_failed_at IS 'First counted failure';
COMMENT ON COLUMN dead_letters.failed_at IS 'Last failure, the one described here';
COMMENT ON COLUMN dead_letters.dead_at IS 'When the dead-letter topic''s acknowledgement was recorded';
COMMENT ON COLUMN dead_letters.edited_payload_hash IS 'Hash of the payload of its edited replay, which may resolve it too; null: never edited';
