package dev.onceward.dlq.transfer;

/** What becomes of a letter of a file. */
public enum ImportKind {
    /** Its row is there and its copy in the topic was gone. */
    RESTORED("payload put back"),
    /** Row and copy were gone. */
    ADDED("added"),
    /** The same, where nobody can tell any more whether it took effect. */
    ADDED_TOO_OLD("added as TOO_OLD"),
    /** Nothing is missing. */
    THERE("there already"),
    /** Its message took effect, or was in the file as RESOLVED. */
    TOOK_EFFECT("took effect already"),
    /** A worker is about to publish it. */
    PENDING("about to be published by a worker"),
    /** The message is known as a dead letter of a later failure. */
    FAILED_LATER("known by a later failure"),
    /** It would be wrong to. */
    REFUSED("refused"),
    /** The file has no payload of it, its line cannot be read, or Kafka does not take it. */
    IMPOSSIBLE("impossible");

    private final String label;

    ImportKind(String label) {
        this.label = label;
    }

    /** Whether something was written. */
    public boolean isDone() {
        return this == RESTORED || this == ADDED || this == ADDED_TOO_OLD;
    }

    /** Whether something should have been, and was not. */
    public boolean isFailure() {
        return this == REFUSED || this == IMPOSSIBLE;
    }

    /** For people. */
    @Override
    public String toString() {
        return label;
    }
}
