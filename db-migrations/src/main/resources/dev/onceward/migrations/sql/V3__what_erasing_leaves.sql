-- What dlq erase removes, version 3: the comment said that the message id goes, too. It stays.
COMMENT ON COLUMN dead_letters.erased_at IS 'When key and error texts were removed for good; null: never. The message id stays: without it no claim of the message could be found, and nobody could tell a copy of it from one that was never processed';
