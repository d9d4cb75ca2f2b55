package dev.onceward.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.ReplayHeaders.Refused;
import dev.onceward.message.ReplayHeaders.Replay;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayHeadersTest {

    @Test
    void saysWhereTheMessageFirstStood() {
        assertThat(ReplayHeaders.parse(complete())).isInstanceOfSatisfying(Replay.class, replay -> {
            assertThat(replay.origin())
                    .isEqualTo(new Origin(new Coordinates("payments.in", 3, 4711), 1_700_000_000_123L, 2));
            assertThat(replay.messageId()).isEqualTo("pay-1");
        });
    }

    @Test
    void handsOnTheOriginalHeadersOnly() {
        Headers headers = complete()
                .add("trace", utf8("1"))
                .add("onceward.replay.of-a-newer-version", utf8("x"))
                .add("empty", null)
                .add("trace", utf8("2"));
        Headers original = ((Replay) ReplayHeaders.parse(headers)).headers();
        assertThat(original)
                .containsExactly(
                        new RecordHeader("first", utf8("0")),
                        new RecordHeader("trace", utf8("1")),
                        new RecordHeader("empty", (byte[]) null),
                        new RecordHeader("trace", utf8("2")));
        assertThatThrownBy(() -> original.add("more", utf8("3"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void leavesTheRecordAsItIs() {
        Headers headers = complete();
        ((Replay) ReplayHeaders.parse(headers)).headers().lastHeader("first").value()[0] = 'X';
        assertThat(headers).isEqualTo(complete());
    }

    @Test
    void aMessageWithoutIdHasNone() {
        Headers headers = complete().remove("onceward.replay.message-id");
        assertThat(((Replay) ReplayHeaders.parse(headers)).messageId()).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = HeaderNames.class,
            names = {
                "REPLAY_ORIGINAL_TOPIC",
                "REPLAY_ORIGINAL_PARTITION",
                "REPLAY_ORIGINAL_OFFSET",
                "REPLAY_ORIGINAL_TIMESTAMP",
                "REPLAY_COUNT"
            })
    void refusesWhereOneIsMissing(HeaderNames name) {
        assertRefused(complete().remove(name.key()), name.key(), "is missing");
    }

    @ParameterizedTest
    @MethodSource("replayHeaders")
    void refusesWhereOneOccursTwiceOrIsNoText(HeaderNames name) {
        byte[] same = complete().lastHeader(name.key()).value();
        assertRefused(complete().add(name.key(), same), name.key(), "more than once");
        assertRefused(with(name.key(), null), name.key(), "has no value");
        assertRefused(with(name.key(), new byte[] {'a', (byte) 0xC3}), name.key(), "is not UTF-8");
        assertRefused(with(name.key(), new byte[] {(byte) 0xC0, (byte) 0x80}), name.key(), "is not UTF-8");
    }

    @ParameterizedTest
    @CsvSource({
        "original-topic, ''",
        "original-topic, a b",
        "original-topic, a/b",
        "original-topic, tópico",
        "original-partition, ''",
        "original-partition, -1",
        "original-partition, 2147483648",
        "original-partition, +1",
        "original-partition, 007",
        "original-partition, ' 1'",
        "original-partition, ٣",
        "original-partition, 1.0",
        "original-offset, -1",
        "original-offset, 9223372036854775808",
        "original-offset, 0x10",
        "original-timestamp, -2",
        "original-timestamp, -0",
        "original-timestamp, 2024-01-01T00:00:00Z",
        "count, 0",
        "count, -1",
        "count, many",
        "message-id, ''",
        "message-id, ' '",
    })
    void refusesWhatIsNotExactlyRight(String name, String value) {
        assertRefused(with("onceward.replay." + name, utf8(value)), "'onceward.replay." + name + "'", "");
    }

    @Test
    void refusesTopicsLongerThanKafkaAllows() {
        assertThat(ReplayHeaders.parse(with("onceward.replay.original-topic", utf8("t".repeat(249)))))
                .isInstanceOf(Replay.class);
        assertRefused(with("onceward.replay.original-topic", utf8("t".repeat(250))), "original-topic", "not the name");
    }

    @Test
    void refusesMessageIdsThatCannotBeStored() {
        assertRefused(with("onceward.replay.message-id", utf8("a\0b")), "message-id", "NUL");
        assertRefused(with("onceward.replay.message-id", utf8("a".repeat(201))), "message-id", "201 characters");
    }

    @Test
    void takesTheLimits() {
        assertThat(ReplayHeaders.parse(with("onceward.replay.original-timestamp", utf8("-1"))))
                .isInstanceOf(Replay.class);
        assertThat(ReplayHeaders.parse(with("onceward.replay.original-offset", utf8("9223372036854775807"))))
                .isInstanceOf(Replay.class);
        assertThat(ReplayHeaders.parse(with("onceward.replay.original-partition", utf8("2147483647"))))
                .isInstanceOf(Replay.class);
        assertThat(ReplayHeaders.parse(with("onceward.replay.original-offset", utf8("0"))))
                .isInstanceOf(Replay.class);
    }

    @Test
    void aRecordThatNobodyReplayedIsRefused() {
        assertRefused(new RecordHeaders(), "original-topic", "is missing");
    }

    static Stream<Arguments> replayHeaders() {
        return Stream.of(HeaderNames.values())
                .filter(name -> name.kind() == HeaderNames.Kind.REPLAY)
                .map(Arguments::of);
    }

    private static void assertRefused(Headers headers, String name, String what) {
        assertThat(ReplayHeaders.parse(headers))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.why()).contains(name).contains(what));
    }

    private static Headers with(String name, byte[] value) {
        return complete().remove(name).add(name, value);
    }

    private static Headers complete() {
        return new RecordHeaders()
                .add("onceward.replay.original-topic", utf8("payments.in"))
                .add("first", utf8("0"))
                .add("onceward.replay.original-partition", utf8("3"))
                .add("onceward.replay.original-offset", utf8("4711"))
                .add("onceward.replay.original-timestamp", utf8("1700000000123"))
                .add("onceward.replay.message-id", utf8("pay-1"))
                .add("onceward.replay.count", utf8("2"));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }
}
