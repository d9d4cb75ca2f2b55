package dev.onceward.dlq.edit;

import dev.onceward.dlq.output.Bytes;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.PrettyJson;
import dev.onceward.dlq.output.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an edit changes, for people: how many bytes, and the lines that are not the same.
 *
 * @param before the payload as it is; {@code null}: a tombstone
 * @param after what it is to be
 */
@SuppressWarnings("ArrayRecordComponent") // compared by bytes below, and only there
public record PayloadChange(byte @Nullable [] before, byte @Nullable [] after) {
    private static final int LINES = 20;

    /** Whether nothing is. */
    public boolean isNone() {
        return Arrays.equals(before, after);
    }

    /** Whether it was JSON and is not any more, which is seldom meant. */
    public boolean breaksJson() {
        return json(before).isPresent() && after != null && json(after).isEmpty();
    }

    /** Line by line, without an end; what a terminal would obey is made visible. */
    public List<String> lines(int width) {
        List<String> lines = new ArrayList<>();
        lines.add(size(before) + " → " + size(after));
        Optional<List<String>> old = text(before);
        Optional<List<String>> young = text(after);
        if (old.isEmpty() || young.isEmpty()) {
            lines.add("(not shown: no text in UTF-8)");
            return lines;
        }
        compare(old.get(), young.get(), lines);
        return lines.stream().map(line -> Printable.cut(line, width)).toList();
    }

    private void compare(List<String> old, List<String> young, List<String> lines) {
        int start = 0;
        while (start < Math.min(old.size(), young.size()) && old.get(start).equals(young.get(start))) {
            start++;
        }
        int end = 0;
        while (end < Math.min(old.size(), young.size()) - start
                && old.get(old.size() - 1 - end).equals(young.get(young.size() - 1 - end))) {
            end++;
        }
        if (start == old.size() && start == young.size()) {
            lines.add("(only white space, or how it is written)");
            return;
        }
        lines.add("@@ line " + (start + 1) + " @@");
        side("-", old.subList(start, old.size() - end), lines);
        side("+", young.subList(start, young.size() - end), lines);
    }

    private static void side(String mark, List<String> changed, List<String> lines) {
        changed.stream().limit(LINES).forEach(line -> lines.add(mark + Printable.line(line)));
        if (changed.size() > LINES) {
            lines.add(mark + "… " + People.count(changed.size() - LINES) + " more");
        }
    }

    /** JSON that stands on one line is one line to compare: both are laid out if both are JSON. */
    private Optional<List<String>> text(byte @Nullable [] payload) {
        if (payload == null || payload.length == 0) {
            return Optional.of(List.of());
        }
        boolean json = json(before).isPresent() && json(after).isPresent();
        return Bytes.text(payload)
                .map(text -> json ? PrettyJson.of(text).orElse(text) : text)
                .map(text -> List.of(text.split("\n", -1)));
    }

    private static Optional<String> json(byte @Nullable [] payload) {
        return payload == null ? Optional.empty() : Bytes.text(payload).flatMap(PrettyJson::of);
    }

    private static String size(byte @Nullable [] payload) {
        return payload == null ? "null, a tombstone" : People.count(payload.length, "byte");
    }
}
