package dev.onceward.testsupport;

/**
 * A server in a process of its own, and what can befall it. Each method throws {@link IllegalStateException} where the
 * server is not in a state for it (a killed server cannot be frozen), and {@link BackendException} where it does not obey.
 */
public interface RestartableServer {

    /** Pid of the server's process; while it is down, that of its last one or 0. */
    long pid();

    /** Whether its process exists; a frozen one does. */
    boolean isAlive();

    /** Ends it with SIGKILL, as the system does when memory runs out: nothing is written, closed or said. */
    void kill();

    /** Stops it in an orderly way. */
    void stop();

    /** Starts it again with its data and its port, and waits until it is usable; a running one is stopped first. */
    void restart();

    /** Holds it with SIGSTOP: its connections stay open and nothing answers. */
    void freeze();

    /** Lets a frozen one go on. */
    void unfreeze();
}
