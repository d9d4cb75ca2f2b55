package dev.onceward.examples.demo;

/**
 * What the topics and the database say at the end.
 *
 * @param produced records in the source topic
 * @param uniqueGood different good messages in it
 * @param bad bad records in it
 * @param claims rows of processed_messages
 * @param effects what the ledger says
 * @param accountsOff accounts that are not right to the cent
 * @param deadLetters what table and topic of dead letters say
 * @param takeovers unclean takeovers since the start
 * @param frozen transactions that were open when their worker was frozen
 * @param fenced those of them that are proven absent
 */
record Findings(
        long produced,
        long uniqueGood,
        long bad,
        long claims,
        EffectTally effects,
        long accountsOff,
        DeadLetterTally deadLetters,
        long takeovers,
        long frozen,
        long fenced) {}
