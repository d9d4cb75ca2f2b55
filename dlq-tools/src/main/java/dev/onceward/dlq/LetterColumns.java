package dev.onceward.dlq;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Column;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Dead letters as rows. The names of the columns are public API. */
final class LetterColumns {
    private record Field(Column column, Function<Letter, @Nullable Object> value) {}

    private final List<Field> fields = new ArrayList<>();

    private LetterColumns() {}

    /**
     * The columns of a list.
     *
     * @param source where the letters come from: what it does not know is null
     * @param withConsumer whether a table says whose each is
     */
    static LetterColumns of(LetterSource source, boolean withConsumer) throws SQLException {
        LetterColumns columns = new LetterColumns();
        Instant now = source.now();
        columns.add(withConsumer ? Column.text("consumer") : Column.hidden("consumer"), Letter::consumer);
        columns.add(Column.whole("origin"), Letter::name);
        columns.add(Column.text("messageId").headed("ID"), Letter::messageId);
        columns.add(
                Column.whole("status"),
                letter -> source.knowsStatus() ? letter.status().name() : null);
        columns.add(Column.whole("reason"), told(Letter.Failure::reason));
        columns.add(
                Column.number("ageSeconds").headed("AGE"),
                letter -> Duration.between(letter.failure().failedAt(), now).truncatedTo(ChronoUnit.SECONDS));
        columns.add(Column.text("error"), told(LetterColumns::error));
        columns.addForPrograms();
        return columns;
    }

    List<Column> columns() {
        return fields.stream().map(Field::column).toList();
    }

    List<@Nullable Object> values(Letter letter) {
        List<@Nullable Object> values = new ArrayList<>();
        fields.forEach(field -> values.add(field.value().apply(letter)));
        return values;
    }

    /** Name and value of each. */
    Map<String, @Nullable Object> map(Letter letter) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        fields.forEach(field -> map.put(field.column().name(), field.value().apply(letter)));
        return map;
    }

    private void addForPrograms() {
        add("topic", letter -> letter.origin().coordinates().topic());
        add("partition", letter -> letter.origin().coordinates().partition());
        add("offset", letter -> letter.origin().coordinates().offset());
        add(
                "timestamp",
                letter ->
                        letter.origin().timestamp() < 0 ? null : letter.origin().timestamp());
        add("key", Letter::key);
        add("exception", told(Letter.Failure::errorClass));
        add("errorMessage", told(Letter.Failure::errorMessage));
        add("attempts", told(Letter.Failure::attempts));
        add("firstFailedAt", told(Letter.Failure::firstFailedAt));
        add("failedAt", letter -> letter.failure().failedAt());
        add("deadAt", letter -> letter.history().deadAt());
        add("replays", letter -> letter.failure().isTold() ? letter.history().replays() : null);
        add("replayedAt", letter -> letter.history().replayedAt());
        add("resolvedAt", letter -> letter.history().resolvedAt());
        add("discardedAt", letter -> letter.history().discardedAt());
        add("discardedBy", letter -> letter.history().discardedBy());
        add("discardReason", letter -> letter.history().discardReason());
        add("editedAt", letter -> letter.history().editedAt());
        add("editedBy", letter -> letter.history().editedBy());
        add("assertedBy", letter -> letter.history().assertedBy());
        add("erasedAt", letter -> letter.history().erasedAt());
        add("dltTopic", letter -> letter.copy() == null ? null : letter.copy().topic());
        add(
                "dltPartition",
                letter -> letter.copy() == null ? null : letter.copy().partition());
        add("dltOffset", letter -> letter.copy() == null ? null : letter.copy().offset());
        add("payloadHash", letter -> String.format("%016x", letter.record().payloadHash()));
        add("worker", told(Letter.Failure::workerId));
        add("generation", told(Letter.Failure::generation));
    }

    private void add(String name, Function<Letter, @Nullable Object> value) {
        add(Column.hidden(name), value);
    }

    private void add(Column column, Function<Letter, @Nullable Object> value) {
        fields.add(new Field(column, value));
    }

    private static Function<Letter, @Nullable Object> told(Function<Letter.Failure, Object> value) {
        return letter -> letter.failure().isTold() ? value.apply(letter.failure()) : null;
    }

    private static String error(Letter.Failure failure) {
        String name = failure.errorClass();
        return name.substring(name.lastIndexOf('.') + 1) + ": " + failure.errorMessage();
    }
}
