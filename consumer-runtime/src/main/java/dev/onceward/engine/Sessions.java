package dev.onceward.engine;

import java.sql.SQLException;

/** The sessions that this worker has in the database. */
@FunctionalInterface
interface Sessions {

    /** Ends the one with this server process, if it is in a fenced transaction. */
    void end(int backendPid) throws SQLException;
}
