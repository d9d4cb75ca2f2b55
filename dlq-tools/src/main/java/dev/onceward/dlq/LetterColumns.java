package dev.onceward.dlq;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Column;
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
     * @param now for ages
     * @param withConsumer whether a table says whose each is
     */
    static LetterColumns of(Instant now, boolean withConsumer) {
        LetterColumns columns = new LetterColumns();
        columns.add(withConsumer ? Column.text("consumer") : Column.hidden("consumer"), Letter::consumer);
        columns.add(Column.whole("origin"), Letter::name);
        columns.add(Column.text("messageId").headed("ID"), Letter::messageId);
        columns.add(Column.whole("status"), letter -> letter.status().name());
        columns.add(Column.whole("reason"), letter -> letter.failure().reason());
        columns.add(
                Column.number("ageSeconds").headed("AGE"),
                letter -> Duration.between(letter.failure().failedAt(), now).truncatedTo(ChronoUnit.SECONDS));
        columns.add(Column.text("error"), LetterColumns::error);
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
        add("timestamp", letter -> letter.origin().timestamp());
        add("key", Letter::key);
        add("exception", letter -> letter.failure().errorClass());
        add("errorMessage", letter -> letter.failure().errorMessage());
        add("attempts", letter -> letter.failure().attempts());
        add("firstFailedAt", letter -> letter.failure().firstFailedAt());
        add("failedAt", letter -> letter.failure().failedAt());
        add("deadAt", letter -> letter.history().deadAt());
        add("replays", letter -> letter.history().replays());
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
        add("worker", letter -> letter.failure().workerId());
        add("generation", letter -> letter.failure().generation());
    }

    private void add(String name, Function<Letter, @Nullable Object> value) {
        add(Column.hidden(name), value);
    }

    private void add(Column column, Function<Letter, @Nullable Object> value) {
        fields.add(new Field(column, value));
    }

    private static String error(Letter letter) {
        String name = letter.failure().errorClass();
        return name.substring(name.lastIndexOf('.') + 1) + ": "
                + letter.failure().errorMessage();
    }
}
