package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import org.jspecify.annotations.Nullable;

/** Letters go as they are: there is nothing to prepare. */
final class OriginalPayloads implements PayloadSource {
    @Override
    public boolean isFor(Letter letter) {
        return true;
    }

    @Override
    public @Nullable String refusal(Letter letter, Eligibility eligibility) {
        return eligibility.refusal(letter);
    }

    @Override
    public byte @Nullable [] payload(byte @Nullable [] original) {
        return original;
    }

    @Override
    public @Nullable String beforeSend(Letter letter) {
        return null;
    }

    @Override
    public void notSent(Letter letter) {}

    @Override
    public void close() {}
}
