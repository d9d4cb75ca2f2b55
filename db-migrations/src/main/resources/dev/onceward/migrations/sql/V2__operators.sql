-- What operators do with dead letters, version 2.

-- ---------------------------------------------------------------------------------------------------------------------
-- Where a consumer's replays go: the command must not guess from a pattern that only the workers know.
ALTER TABLE consumers ADD COLUMN replay_topic varchar(249);
COMMENT ON COLUMN consumers.replay_topic IS 'The consumer''s replay topic, written at every start of a worker; null: no worker of this version has started yet, and the name is replay.{consumer}';

-- ---------------------------------------------------------------------------------------------------------------------
-- Who decided what about a dead letter. Constant defaults: no row is rewritten.
ALTER TABLE dead_letters
  ADD COLUMN discarded_at   timestamptz,
  ADD COLUMN discarded_by   text,
  ADD COLUMN discard_reason text,
  ADD COLUMN edited_at      timestamptz,
  ADD COLUMN edited_by      text,
  ADD COLUMN asserted_by    text,
  ADD COLUMN erased_at      timestamptz,
  ADD COLUMN erased_by      text;
COMMENT ON COLUMN dead_letters.discarded_at IS 'When an operator gave it up; kept when it is restored, until it is discarded again';
COMMENT ON COLUMN dead_letters.discarded_by IS 'Who did: user@host of the command';
COMMENT ON COLUMN dead_letters.discard_reason IS 'Why, in the operator''s words';
COMMENT ON COLUMN dead_letters.edited_at IS 'When an edited payload was sent in its place; null: never edited';
COMMENT ON COLUMN dead_letters.edited_by IS 'Who edited it';
COMMENT ON COLUMN dead_letters.asserted_by IS 'Who asserted that a TOO_OLD message was never processed, and replayed it';
COMMENT ON COLUMN dead_letters.erased_at IS 'When key, id and error texts were removed for good; null: never';
COMMENT ON COLUMN dead_letters.erased_by IS 'Who erased them';

-- Whether a later failure of the same message is known: asked of every dead letter that is shown or replayed.
CREATE INDEX dead_letters_by_origin ON dead_letters (consumer_name, origin_topic, origin_partition, origin_offset);
-- A replay goes through what is open in its original order: without this it would sort all of it again for every page.
-- Partial: in a system that has run for years nearly all rows are RESOLVED, and are not to be read for that.
CREATE INDEX dead_letters_open_by_origin ON dead_letters (consumer_name, origin_topic, origin_partition, origin_offset)
  WHERE status <> 'RESOLVED';

-- ---------------------------------------------------------------------------------------------------------------------
-- One row for each command that changed something.
CREATE TABLE dlq_actions (
  action_id     bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acted_at      timestamptz  NOT NULL DEFAULT clock_timestamp(),
  actor         text         NOT NULL,
  host          text         NOT NULL,
  consumer_name varchar(100) NOT NULL,
  command       varchar(20)  NOT NULL,
  filter        text         NOT NULL,
  selected      bigint,
  done          bigint       NOT NULL DEFAULT 0,
  failed        bigint       NOT NULL DEFAULT 0,
  outcome       varchar(20)  NOT NULL DEFAULT 'RUNNING'
    CONSTRAINT dlq_actions_outcome CHECK (outcome IN ('RUNNING', 'DONE', 'PARTLY', 'REFUSED', 'INTERRUPTED')),
  detail        text         NOT NULL DEFAULT '',
  finished_at   timestamptz
);
CREATE INDEX dlq_actions_by_time ON dlq_actions (consumer_name, acted_at);
COMMENT ON TABLE dlq_actions IS 'Audit trail of operators: one row for each command that was to change something. Never deleted by Onceward.';
COMMENT ON COLUMN dlq_actions.actor IS 'The operating system''s user who ran the command, and the database role it connected as';
COMMENT ON COLUMN dlq_actions.host IS 'The machine it ran on';
COMMENT ON COLUMN dlq_actions.command IS 'replay, discard, restore, edit, erase, import, evict';
COMMENT ON COLUMN dlq_actions.filter IS 'What it was told to act on, as the command understood it';
COMMENT ON COLUMN dlq_actions.selected IS 'How many dead letters that was when it began; null: not counted';
COMMENT ON COLUMN dlq_actions.done IS 'How many it did';
COMMENT ON COLUMN dlq_actions.failed IS 'How many it could not do';
COMMENT ON COLUMN dlq_actions.outcome IS 'RUNNING: not finished, or killed. DONE. PARTLY: some could not be done. REFUSED: nothing was done. INTERRUPTED: by the operator';
COMMENT ON COLUMN dlq_actions.detail IS 'For people: the reason given, the first failures';
COMMENT ON COLUMN dlq_actions.finished_at IS 'Null while RUNNING';
