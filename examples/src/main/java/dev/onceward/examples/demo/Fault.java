package dev.onceward.examples.demo;

import java.sql.SQLException;

/** One kind of fault. */
interface Fault {

    /** Breaks something, now. */
    Strike strike(PlannedFault planned) throws InterruptedException, SQLException;

    /**
     * Undoes what can be undone and waits until the workers have got over it, within a bound.
     *
     * @return whether they have
     */
    boolean recover() throws InterruptedException, SQLException;
}
