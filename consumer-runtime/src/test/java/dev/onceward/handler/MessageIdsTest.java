package dev.onceward.handler;

import static dev.onceward.handler.MessageIds.cloudEvents;
import static dev.onceward.handler.MessageIds.coordinates;
import static dev.onceward.handler.MessageIds.firstOf;
import static dev.onceward.handler.MessageIds.header;
import static dev.onceward.handler.MessageIds.jsonPointer;
import static dev.onceward.handler.MessageIds.key;
import static dev.onceward.handler.MessageIds.standard;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageIdsTest {
    private static final Uuid TOPIC_ID = Uuid.fromString("vPeOCWypqUOSepEvx0cbog");

    @Nested
    class Header {
        @Test
        void isTakenAsItIs() {
            assertThat(id(header("order-id"), RecordWith.headers("a", "x", "order-id", " Ünï 7 ", "z", "y")))
                    .isEqualTo(" Ünï 7 ");
        }

        @Test
        void mayBeAbsent() {
            assertThat(id(header("order-id"), RecordWith.headers("Order-Id", "x")))
                    .isNull();
        }

        @Test
        void twiceIsInvalidWhetherEqualOrNot() {
            assertInvalid(header("h"), RecordWith.headers("h", "1", "h", "2"), "'h' occurs more than once");
            assertInvalid(header("h"), RecordWith.headers("h", "1", "x", "", "h", "1"), "'h' occurs more than once");
        }

        @Test
        void withNothingInItIsInvalidAndNotAbsent() {
            assertInvalid(header("h"), RecordWith.headers("h", ""), "'h' is empty");
            assertInvalid(header("h"), RecordWith.headers("h", " \t"), "'h' is blank");
            assertInvalid(header("h"), RecordWith.header("h", null), "'h' has no value");
        }

        @ParameterizedTest
        @ValueSource(strings = {"C3", "61FF", "C080", "EDA080", "F4908080", "E282"})
        void mustBeUtf8(String bytes) {
            assertInvalid(header("h"), RecordWith.header("h", HexFormat.of().parseHex(bytes)), "'h' is not UTF-8");
        }

        @Test
        void needsAName() {
            assertThatThrownBy(() -> header(" ")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class CloudEvents {
        @Test
        void areUniqueBySourceAndId() {
            assertThat(id(cloudEvents(), RecordWith.headers("ce_id", "A-7", "ce_source", "/shop/eu")))
                    .isEqualTo("/shop/eu#A-7");
        }

        @Test
        void neverLookAlike() {
            String[] parts = {"a", "#", "%", "%23", "%25", "#a", "a#", "a#a", "%23a", "##", "%#"};
            Map<String, String> pairs = new HashMap<>();
            for (String source : parts) {
                for (String id : parts) {
                    String other = pairs.put(ce(source, id), source + " and " + id);
                    assertThat(other).as("same id as %s and %s", source, id).isNull();
                }
            }
        }

        @Test
        void mayBeAbsent() {
            assertThat(id(cloudEvents(), RecordWith.headers("id", "1", "source", "2")))
                    .isNull();
        }

        @Test
        void halfAPairIsInvalid() {
            assertInvalid(cloudEvents(), RecordWith.headers("ce_id", "1"), "'ce_id' without 'ce_source'");
            assertInvalid(cloudEvents(), RecordWith.headers("ce_source", "1"), "'ce_source' without 'ce_id'");
            assertInvalid(cloudEvents(), RecordWith.headers("ce_id", "1", "ce_source", ""), "'ce_source' is empty");
            assertInvalid(cloudEvents(), RecordWith.headers("ce_id", " ", "ce_source", "1"), "'ce_id' is blank");
            assertInvalid(
                    cloudEvents(),
                    RecordWith.headers("ce_id", "1", "ce_source", "1", "ce_source", "1"),
                    "'ce_source' occurs more than once");
        }

        @Test
        void thatAreTooLongAreHashedAndStayApart() throws Exception {
            String source = "s".repeat(100);
            assertThat(ce(source, "i".repeat(99))).isEqualTo(source + "#" + "i".repeat(99));
            assertThat(ce(source, "\uD83D\uDE00".repeat(99)))
                    .as("200 characters as PostgreSQL counts them")
                    .startsWith(source);
            String longest = source + "#" + "i".repeat(100);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(longest.getBytes(StandardCharsets.UTF_8));
            assertThat(ce(source, "i".repeat(100)))
                    .isEqualTo("ce-sha256:" + HexFormat.of().formatHex(hash));
            assertThat(ce(source, "i".repeat(99) + "1")).isNotEqualTo(ce(source, "i".repeat(99) + "2"));
            assertThat(ce("%".repeat(70), "x"))
                    .as("escaped longer than 200")
                    .startsWith("ce-sha256:")
                    .isNotEqualTo(ce("%25".repeat(70), "x"));
        }

        private String ce(String source, String id) {
            return id(cloudEvents(), RecordWith.headers("ce_id", id, "ce_source", source));
        }
    }

    @Nested
    class Key {
        @Test
        void isTakenAsItIs() {
            assertThat(id(key(), RecordWith.key("k 1".getBytes(UTF_8)))).isEqualTo("k 1");
        }

        @Test
        void mayBeAbsent() {
            assertThat(id(key(), RecordWith.key(null))).isNull();
        }

        @Test
        void mustBeText() {
            assertInvalid(key(), RecordWith.key(new byte[0]), "the key is empty");
            assertInvalid(key(), RecordWith.key(new byte[] {' '}), "the key is blank");
            assertInvalid(key(), RecordWith.key(new byte[] {(byte) 0xFE}), "the key is not UTF-8");
        }
    }

    @Nested
    class Coordinates {
        @Test
        void nameTheTopicByItsId() {
            assertThat(id(coordinates(), RecordWith.headers())).isEqualTo("vPeOCWypqUOSepEvx0cbog/3/42");
        }

        @Test
        void areNoneWhereTheTopicHasNoId() {
            assertThatThrownBy(() -> coordinates().extract(RecordWith.headers(), Uuid.ZERO_UUID))
                    .isInstanceOf(InvalidMessageIdException.class)
                    .hasMessageContaining("orders");
        }
    }

    @Nested
    class FirstOf {
        @Test
        void takesTheFirstThatIsThere() {
            MessageIdExtractor ids = firstOf(header("a"), header("b"), coordinates());
            assertThat(id(ids, RecordWith.headers("b", "2", "a", "1"))).isEqualTo("1");
            assertThat(id(ids, RecordWith.headers("b", "2"))).isEqualTo("2");
            assertThat(id(ids, RecordWith.headers())).endsWith("/3/42");
            assertThat(id(firstOf(header("a"), header("b")), RecordWith.headers()))
                    .isNull();
        }

        @Test
        void doesNotPassOverAnInvalidOne() {
            MessageIdExtractor ids = firstOf(header("a"), coordinates());
            assertInvalid(ids, RecordWith.headers("a", ""), "'a' is empty");
            assertInvalid(ids, RecordWith.headers("a", "1", "a", "1"), "'a' occurs more than once");
        }

        @Test
        void anEmptyIdOfATeamsOwnExtractorIsNotPassedOverEither() {
            assertThat(id(firstOf((record, topicId) -> "", coordinates()), RecordWith.headers()))
                    .isEmpty();
        }

        @Test
        void needsOne() {
            assertThatThrownBy(() -> firstOf()).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class Standard {
        @Test
        void isTheHeaderThenCloudEvents() {
            assertThat(id(standard(), RecordWith.headers("ce_id", "1", "ce_source", "s", "message-id", "m")))
                    .isEqualTo("m");
            assertThat(id(standard(), RecordWith.headers("ce_id", "1", "ce_source", "s")))
                    .isEqualTo("s#1");
            assertThat(id(standard(), RecordWith.headers())).isNull();
        }

        @Test
        void saysWhereItLooks() {
            assertThat(standard()).hasToString("header 'message-id', then headers 'ce_id' and 'ce_source'");
            assertThat(firstOf(key(), jsonPointer("/a"), coordinates()))
                    .hasToString("the key, then JSON pointer '/a', then the coordinates");
        }
    }

    @Nested
    class JsonPointer {
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '`',
                value = {
                    "/id           | {\"id\":\"A-7\"}                       | A-7",
                    "/id           | {\"x\":[{\"id\":1}],\"id\":\"A\",\"y\":{\"id\":2}} | A",
                    "/a/b          | {\"a\":{\"b\":\"x\",\"c\":1}}          | x",
                    "/a/b          | {\"b\":\"y\",\"a\":{\"b\":\"x\"}}      | x",
                    "/items/1/id   | {\"items\":[{\"id\":1},{\"id\":2}]}    | 2",
                    "/items/0      | {\"items\":[\"x\"]}                    | x",
                    "/items/0      | {\"items\":{\"0\":\"x\"}}              | x",
                    "/a~1b         | {\"a/b\":\"x\"}                        | x",
                    "/a~0b         | {\"a~b\":\"x\"}                        | x",
                    "/a~01b        | {\"a~1b\":\"x\"}                       | x",
                    "/             | {\"\":\"x\"}                           | x",
                    "//a           | {\"\":{\"a\":\"x\"}}                   | x",
                    "/a//b         | {\"a\":{\"\":{\"b\":\"x\"}}}           | x",
                    "/a b          | {\"a b\":\"x\"}                        | x",
                    "/é            | {\"\\u00e9\":\"\\u00e9\"}              | é",
                    "/id           | {\"id\":42}                            | 42",
                    "/id           | {\"id\":-42}                           | -42",
                    "/id           | {\"id\":123456789012345678901234567890} | 123456789012345678901234567890",
                    "/id           | \uFEFF{\"id\":\"x\"}                   | x",
                    "/id           | {\"id\":\"x\",\"n\":1.5e3,\"t\":true}  | x",
                    "/id           | {\"other\":1,\"other\":2,\"id\":\"x\"} | x",
                    "''            | \"whole\"                              | whole",
                    "''            | 7                                      | 7",
                })
        void findsTextAndWholeNumbers(String pointer, String json, String id) {
            assertThat(find(pointer.equals("''") ? "" : pointer, json)).isEqualTo(id);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '`',
                value = {
                    "/id      | {}",
                    "/id      | []",
                    "/id      | \"id\"",
                    "/id      | null",
                    "/id      | {\"ID\":1}",
                    "/id      | {\"id\":null}",
                    "/a/b     | {\"a\":1}",
                    "/a/b     | {\"a\":null}",
                    "/a/b     | {\"a\":[{\"b\":1}]}",
                    "/1       | [0]",
                    "/-       | [0]",
                    "/01      | [0,1]",
                    "/+1      | [0,1]",
                    "/99999999999 | [0]",
                    "/0/a     | [[1]]",
                })
        void mayLeadNowhere(String pointer, String json) {
            assertThat(find(pointer, json)).isNull();
        }

        @Test
        void aTombstoneHasNone() {
            assertThat(id(jsonPointer("/id"), RecordWith.value(null))).isNull();
        }

        @ParameterizedTest
        @ValueSource(strings = {"1.5", "1.0", "1e3", "true", "false", "{}", "[]", "[\"x\"]", "{\"id\":1}"})
        void anythingElseThereIsInvalid(String there) {
            assertInvalid(jsonPointer("/id"), json("{\"id\":" + there + "}"), "neither text nor a whole number");
            assertInvalid(jsonPointer("/0"), json("[" + there + "]"), "neither text nor a whole number");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"a\":{\"b\":1},\"a\":{\"b\":1}}",
                    "{\"a\":{\"b\":1,\"b\":2}}",
                    "{\"a\":{\"b\":1,\"b\":null}}",
                    "{\"a\":null,\"x\":2,\"a\":{\"b\":2}}",
                    "{\"a\":{\"b\":1},\"\\u0061\":2}",
                })
        void aNameThatOccursTwiceOnTheWayIsInvalid(String json) {
            assertInvalid(jsonPointer("/a/b"), json(json), "occurs twice");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"id\":\"x\"",
                    "{\"id\":\"x\"} x",
                    "{\"id\":01}",
                    "{\"id\":\"x\",}",
                    "{'id':'x'}",
                    "{id:1}",
                    "{\"id\":NaN}",
                    "{\"id\":\"x\"/**/}",
                    "{\"id\":\"a\nb\"}",
                    "[1",
                    "hello",
                })
        void whatIsNotJsonIsInvalid(String text) {
            assertInvalid(jsonPointer("/id"), json(text), "cannot be read as JSON");
        }

        @Test
        void everyTruncationIsInvalid() {
            String whole = "{\"a\":[1,{\"b\":\"x\"}],\"c\":{\"d\":null,\"id\":\"7\"}}";
            assertThat(find("/c/id", whole)).isEqualTo("7");
            for (int length = 0; length < whole.length(); length++) {
                String part = whole.substring(0, length);
                assertInvalid(jsonPointer("/c/id"), json(part), "the value");
            }
        }

        @Test
        void twoValuesAreInvalid() {
            assertInvalid(jsonPointer("/id"), json("{\"id\":1}{\"id\":2}"), "more than one JSON value");
            assertInvalid(jsonPointer("/id"), json("{\"id\":1} 2"), "more than one JSON value");
        }

        @Test
        void onlyUtf8IsJson() {
            String json = "{\"id\":\"x\"}";
            MessageIdExtractor ids = jsonPointer("/id");
            assertThatThrownBy(() -> id(ids, RecordWith.value(json.getBytes(StandardCharsets.UTF_16LE))))
                    .isInstanceOf(InvalidMessageIdException.class);
            assertInvalid(ids, RecordWith.value(new byte[] {'"', (byte) 0xC1, (byte) 0x81, '"'}), "not UTF-8");
            assertInvalid(ids, RecordWith.value(new byte[0]), "empty");
            assertInvalid(ids, RecordWith.value(" \n".getBytes(UTF_8)), "blank");
        }

        @Test
        void depthIsBounded() {
            assertInvalid(jsonPointer("/id"), json("[".repeat(100_000)), "cannot be read as JSON");
        }

        @Test
        void errorsDoNotQuoteThePayload() {
            assertThatThrownBy(() -> find("/id", "{\"id\":\"x\", secret4711 }"))
                    .hasMessageContaining("character 11")
                    .hasMessageNotContaining("secret");
        }

        @ParameterizedTest
        @ValueSource(strings = {"id", "id/", "/a~b", "/~", "/a~2", " /a", "#/a"})
        void mustBeAPointer(String pointer) {
            assertThatThrownBy(() -> jsonPointer(pointer))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + pointer + "' is no JSON pointer");
        }

        private String find(String pointer, String json) {
            return id(jsonPointer(pointer), json(json));
        }

        private ConsumerRecord<byte[], byte[]> json(String text) {
            return RecordWith.value(text.getBytes(UTF_8));
        }
    }

    @Test
    void everyOneIsAPureFunction() {
        ConsumerRecord<byte[], byte[]> record = RecordWith.headers("message-id", "1");
        for (MessageIdExtractor ids : List.of(standard(), header("x"), cloudEvents(), key(), coordinates())) {
            assertThat(id(ids, record)).isEqualTo(id(ids, record));
        }
        assertThat(record.headers().toArray()).hasSize(1);
    }

    private static String id(MessageIdExtractor ids, ConsumerRecord<byte[], byte[]> record) {
        return ids.extract(record, TOPIC_ID);
    }

    private static void assertInvalid(MessageIdExtractor ids, ConsumerRecord<byte[], byte[]> record, String what) {
        assertThatThrownBy(() -> id(ids, record))
                .isInstanceOf(InvalidMessageIdException.class)
                .hasMessageContaining(what);
    }
}
