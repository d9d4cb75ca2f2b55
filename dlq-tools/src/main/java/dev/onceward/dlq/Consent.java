package dev.onceward.dlq;

import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.output.Console;

/**
 * Asks before something is changed.
 *
 * @param given whether {@code --yes} has answered already
 */
record Consent(Console console, boolean given) {

    /**
     * Returns if it may be done.
     *
     * @param verb what is done, and {@code what} to what: of the refusal where nobody can be asked
     * @param question for whoever can be
     * @param undone what is said after a no
     * @throws RefusedException nobody is there, or somebody said no
     */
    void ask(String verb, String what, String question, String undone) {
        if (given) {
            return;
        }
        if (!console.terminal().input()) {
            throw new RefusedException("this would " + verb + " " + what + ", and there is nobody to ask: give --yes");
        }
        if (!console.confirms(question)) {
            throw new RefusedException(undone);
        }
    }
}
