package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.effect.Member;
import dev.onceward.message.Decoded;
import dev.onceward.message.ReplayHeaders;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a raw record ready to run: finds its route and decodes it, on the lane's thread. */
final class Preparation {
    private final Map<String, Route> routes;
    private final Letters letters;
    private final int maxAttempts;

    Preparation(Map<String, Route> routes, Letters letters, int maxAttempts) {
        this.routes = routes;
        this.letters = letters;
        this.maxAttempts = maxAttempts;
    }

    /**
     * Whether it has no attempt left: counted, but not given up yet when its worker ended. Its next step then is to be given
     * up. Told without decoding it.
     */
    boolean exhausted(Delivery delivery) {
        if (delivery.step instanceof Step.Run && delivery.attempts >= maxAttempts) {
            if (delivery.partition().replay()
                    && ReplayHeaders.parse(delivery.raw().headers()) instanceof ReplayHeaders.Replay replay
                    && routes.containsKey(replay.origin().coordinates().topic())) {
                delivery.origin = replay.origin();
            }
            giveUp(
                    delivery,
                    DeadLetterReason.ATTEMPTS_EXHAUSTED,
                    new AttemptsExhaustedException(delivery.attempts, delivery.lastError));
        }
        return !(delivery.step instanceof Step.Run);
    }

    /** Finds out the id and no more: whoever ends its worker while it is decoded must still be known by it. */
    void identify(Delivery delivery) {
        ReplayHeaders.@Nullable Replay replay = null;
        if (delivery.partition().replay()) {
            if (!(ReplayHeaders.parse(delivery.raw().headers()) instanceof ReplayHeaders.Replay headers)) {
                return;
            }
            replay = headers;
        }
        Route route = routes.get(
                replay == null
                        ? delivery.raw().topic()
                        : replay.origin().coordinates().topic());
        if (route != null) {
            delivery.messageId = route.decoder()
                    .identify(delivery.raw(), delivery.partition().topicId(), replay);
        }
    }

    /** Decodes for the attempt that comes now; the message of an earlier attempt would tell a wrong number. */
    Result prepare(Delivery delivery) {
        if (exhausted(delivery)) {
            return new Result.GivenUp();
        }
        ReplayHeaders.@Nullable Replay replay = null;
        if (delivery.partition().replay()) {
            ReplayHeaders headers = ReplayHeaders.parse(delivery.raw().headers());
            if (headers instanceof ReplayHeaders.Refused refused) {
                return giveUp(delivery, DeadLetterReason.UNROUTABLE, new UnroutableException(refused.why()));
            }
            replay = (ReplayHeaders.Replay) headers;
        }
        String topic = replay == null
                ? delivery.raw().topic()
                : replay.origin().coordinates().topic();
        Route route = routes.get(topic);
        if (route == null) {
            return giveUp(
                    delivery,
                    DeadLetterReason.UNROUTABLE,
                    new UnroutableException("this consumer handles no topic " + topic));
        }
        delivery.route = route;
        // Only now: what cannot be routed has no dead-letter topic but that of the replay topic itself.
        delivery.origin = replay == null ? null : replay.origin();
        Decoded decoded =
                route.decoder().decode(delivery.raw(), delivery.partition().topicId(), replay, delivery.attempts + 1);
        if (decoded instanceof Decoded.Bad bad) {
            delivery.messageId = bad.messageId();
            return giveUp(delivery, bad.reason(), bad.error());
        }
        if (decoded instanceof Decoded.Unavailable unavailable) {
            return new Result.Unavailable(unavailable.error());
        }
        if (decoded instanceof Decoded.Interrupted interrupted) {
            return new Result.Interrupted(interrupted.error());
        }
        delivery.message = ((Decoded.Ok) decoded).message();
        delivery.messageId = delivery.message.id();
        return new Result.Ready();
    }

    /** The prepared message as a member of a group. */
    static Member member(Delivery delivery) {
        return new Member(
                delivery.identity(),
                Objects.requireNonNull(delivery.message, "prepared"),
                Objects.requireNonNull(delivery.route, "prepared").handling(),
                delivery.partition().fence(),
                delivery.attempts > 0 || delivery.countedBeforeRun);
    }

    private Result giveUp(Delivery delivery, DeadLetterReason reason, Throwable error) {
        delivery.step = new Step.Decide(letters.write(delivery, reason, error, delivery.attempts));
        return new Result.GivenUp();
    }

    /** What became of it. */
    sealed interface Result {
        /** It can run. */
        record Ready() implements Result {}

        /** It cannot, its next step says what is to be done. */
        record GivenUp() implements Result {}

        /** It is not to blame: something that decoding needs is not there. */
        record Unavailable(Throwable error) implements Result {}

        /** It failed, which is to be counted: {@link Decoded.Interrupted}. */
        record Interrupted(Throwable error) implements Result {}

        /** The JVM could not go on with it. */
        record Fatal(VirtualMachineError error) implements Result {}
    }

    private static final class UnroutableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnroutableException(String message) {
            super(message);
        }
    }

    private static final class AttemptsExhaustedException extends Exception {
        private static final long serialVersionUID = 1L;

        AttemptsExhaustedException(int attempts, String lastError) {
            super(attempts + " attempts have failed; the last one: " + lastError);
        }
    }
}
