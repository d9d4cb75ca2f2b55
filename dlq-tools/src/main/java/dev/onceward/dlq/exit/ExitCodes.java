package dev.onceward.dlq.exit;

/** The exit codes of every command. Scripts rely on them: public API, kept from version to version. */
public final class ExitCodes {
    /** All that was asked for is done. */
    public static final int DONE = 0;
    /** Some of it could not be done; standard error says what. */
    public static final int SOME_FAILED = 1;
    /** The command line, or the configuration file, is wrong. */
    public static final int USAGE = 2;
    /** Kafka or PostgreSQL cannot be reached, or lets nobody in with these settings. */
    public static final int CANNOT_CONNECT = 3;
    /** It could be done and would be wrong: nothing was changed. */
    public static final int REFUSED = 4;

    private ExitCodes() {}
}
