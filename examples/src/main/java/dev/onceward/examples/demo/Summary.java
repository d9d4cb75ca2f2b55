package dev.onceward.examples.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/** The result as one JSON object. Its names are for scripts: none is changed or taken away. */
@JsonNaming(SnakeCaseStrategy.class)
record Summary(
        boolean ok,
        long seed,
        boolean claims,
        int messages,
        int workers,
        long produced,
        long uniqueGood,
        long effects,
        long lost,
        long doubled,
        long outOfOrder,
        long foreignEffects,
        long accountsOff,
        long bad,
        long deadLetters,
        long deadLettersWrong,
        long deadLetterDuplicates,
        int kills,
        int pauses,
        int dbRestarts,
        long faultsUnderLoad,
        long takeovers,
        long frozenTransactions,
        long fenced,
        int workersEndedByThemselves,
        long redelivered,
        long unknownCommits,
        double seconds) {

    String json() {
        try {
            return new ObjectMapper().writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A record of numbers cannot be written as JSON", e);
        }
    }
}
