package dev.onceward.testsupport.proxy;

/**
 * An action that waits for a COMMIT.
 *
 * @param atAnswer whether it waits for the server's answer, not for the order
 * @param sentBefore text that must have been sent in the same transaction; empty for any transaction
 */
record CommitMoment(boolean atAnswer, String sentBefore, Moment<Integer> moment) {}
