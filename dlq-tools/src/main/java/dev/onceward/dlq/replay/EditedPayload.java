package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One letter goes with another payload, and its row says so before it is sent. */
public final class EditedPayload implements PayloadSource {
    private final Edit edit;
    private final EditMarks marks;

    /** Of this edit. */
    public EditedPayload(Connections connections, Edit edit) {
        this.edit = edit;
        this.marks = new EditMarks(connections, edit);
    }

    @Override
    public boolean isFor(Letter letter) {
        return edit.isOf(letter);
    }

    @Override
    public @Nullable String refusal(Letter letter, Eligibility eligibility) {
        return eligibility.refusalOfAny(letter);
    }

    @Override
    public byte @Nullable [] payload(byte @Nullable [] original) {
        return edit.value();
    }

    @Override
    public @Nullable String beforeSend(Letter letter) throws SQLException {
        return marks.record();
    }

    @Override
    public void notSent(Letter letter) throws SQLException {
        marks.takeBack();
    }

    @Override
    public void close() throws SQLException {
        marks.close();
    }
}
