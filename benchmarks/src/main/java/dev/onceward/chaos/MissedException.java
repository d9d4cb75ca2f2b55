package dev.onceward.chaos;

/** There was nothing to hurt: the fault has not happened, and is not counted. */
final class MissedException extends Exception {
    private static final long serialVersionUID = 1L;

    MissedException(String what) {
        super(what);
    }
}
