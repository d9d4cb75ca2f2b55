package dev.onceward.testsupport.proxy;

/** An action that waits for a sequence of bytes. */
final class ByteMoment {

    private final Direction direction;
    private final byte[] pattern;
    private final boolean before;
    private final Moment<ProxiedConnection> moment;

    ByteMoment(Direction direction, byte[] pattern, boolean before, Action action) {
        this.direction = direction;
        this.pattern = pattern.clone();
        this.before = before;
        this.moment = new Moment<>(action);
    }

    Direction direction() {
        return direction;
    }

    BytePattern search() {
        return new BytePattern(pattern);
    }

    /** Whether it strikes before the pattern's last byte is forwarded, not right after it. */
    boolean isBefore() {
        return before;
    }

    Moment<ProxiedConnection> moment() {
        return moment;
    }
}
