package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.actions.Actor;
import dev.onceward.dlq.output.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ReplayIT {
    private static final Terminal TERMINAL = new Terminal(true, true, true, 120, false);

    private final Payments payments = new Payments(2);

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void whatIsReplayedTakesEffectOnceAndIsResolved() {
        payments.deadLetters(30, 7);

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--wait");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("30 messages sent to " + payments.replayTopic)
                .contains("30 took effect, 0 dead again, 0 still under way");
        assertThat(payments.entries()).isEqualTo(30);
        assertThat(payments.distinctEntries()).isEqualTo(30);
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'RESOLVED'"))
                .isEqualTo(30);
        assertThat(payments.dlq("list").err()).contains("No dead letters.");
        assertThat(payments.texts("SELECT command || ' ' || outcome || ' ' || selected || ' ' || done || ' ' || failed"
                        + " FROM dlq_actions"))
                .containsExactly("replay DONE 30 30 0");
    }

    @Test
    void F17_keyValueAndHeadersComeBackByteForByteAndInOrder() {
        byte[] odd = {(byte) 0xff, 0, 1, (byte) 0x80};
        payments.breakFor(id -> true);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(payments.topic, 1, odd, "9.99".getBytes(UTF_8));
        record.headers()
                .add("message-id", "m1".getBytes(UTF_8))
                .add("trace", odd)
                .add("again", "1".getBytes(UTF_8))
                .add("nothing", null)
                .add("again", "2".getBytes(UTF_8));
        payments.send(record);
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.statuses("m1").equals(List.of("DEAD")));
        payments.stopWorkers();

        assertThat(payments.dlq("replay", "m1").exitCode()).isZero();

        var replayed = payments.records(payments.replayTopic).get(0);
        assertThat(replayed.key()).isEqualTo(odd);
        assertThat(replayed.value()).isEqualTo("9.99".getBytes(UTF_8));
        assertThat(replayed.partition()).isEqualTo(1);
        assertThat(replayed.headers().toArray()).startsWith(record.headers().toArray());
        assertThat(replayed.headers().toArray()).hasSize(5 + 6);
        assertThat(payments.statuses("m1")).containsExactly("REPLAYED");
    }

    @Test
    void F37_replayedTwiceEachEffectIsOnceUnderItsOriginalId() {
        payments.deadLetters(20, 5);
        payments.stopWorkers();

        assertThat(payments.dlq("replay", "--all", "--yes").exitCode()).isZero();
        Runs.Run nothing = payments.dlq("replay", "--all", "--yes");
        Runs.Run again = payments.dlq("replay", "--all", "--yes", "--status", "dead,replayed");
        payments.startWorker();

        assertThat(nothing.err()).contains("nothing to replay");
        assertThat(again.out()).contains("20 messages sent");
        Payments.await().until(() -> payments.records(payments.replayTopic).size() == 40);
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'RESOLVED'") == 20);
        assertThat(payments.dlq("replay", "--all", "--yes", "--status", "dead,replayed")
                        .err())
                .contains("nothing to replay");
        eachEffectOnceUnderItsOriginalId(20);
    }

    private void eachEffectOnceUnderItsOriginalId(int messages) {
        assertThat(payments.texts("SELECT message_id FROM entries"))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, messages).mapToObj(i -> "m" + i).toList());
    }

    @Test
    void F37_twoReplaysAtOnceMakeEachEffectOnceUnderItsOriginalId() {
        payments.deadLetters(200, 20);

        CompletableFuture<Runs.Run> one =
                CompletableFuture.supplyAsync(() -> payments.dlq("replay", "--all", "--yes", "--wait"));
        CompletableFuture<Runs.Run> other =
                CompletableFuture.supplyAsync(() -> payments.dlq("replay", "--all", "--yes", "--wait"));

        assertThat(one.join().exitCode()).as(one.join().err()).isZero();
        assertThat(other.join().exitCode()).as(other.join().err()).isZero();
        eachEffectOnceUnderItsOriginalId(200);
        assertThat(payments.dlq("list", "--status", "resolved", "--limit", "0", "-o", "jsonl")
                        .out()
                        .lines())
                .hasSize(200);
    }

    @Test
    void F40_orderWithinAKeyIsTheOriginalOneAndLaterMessagesDoNotWait() {
        payments.deadLetters(300, 3);
        // A dead letter does not hold its key: what comes later is not kept from its effect until somebody replays.
        for (int account = 0; account < 3; account++) {
            payments.send("account-" + account, "later-" + account, "1");
        }
        payments.flush();
        Payments.await().until(() -> payments.entries() == 3);

        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();

        for (int account = 0; account < 3; account++) {
            int first = account;
            assertThat(payments.entriesOf("account-" + account))
                    .containsExactlyElementsOf(Stream.concat(
                                    Stream.of("later-" + account),
                                    IntStream.range(0, 100).mapToObj(i -> "m" + (first + 3 * i)))
                            .toList());
        }
    }

    @Test
    void aCanaryThatFailsAgainStopsTheRest() {
        payments.deadLetters(20, 20);
        payments.breakFor(id -> true);

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--canary", "5");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("5 messages sent", "0 took effect, 5 dead again");
        assertThat(run.err()).contains("a canary failed: nothing else was sent");
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.matches("dead again: payments\\..*/[01]/\\d+ \\(m\\d+\\):"
                                + " PermanentException: no account of m\\d+")))
                .hasSize(5);
        assertThat(payments.records(payments.replayTopic)).hasSize(5);
        // One line for each message still, and it is the newer failure that tells.
        assertThat(payments.dlq("list", "-o", "jsonl").out().lines()).hasSize(20);
        assertThat(payments.dlq("list", "-o", "jsonl").out())
                .contains("\"replays\":1")
                .doesNotContain("REPLAYED");
    }

    @Test
    void aCanaryThatTakesEffectLetsTheRestGo() {
        payments.deadLetters(20, 20);

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--canary", "5", "--wait");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("20 messages sent", "20 took effect");
        assertThat(payments.entries()).isEqualTo(20);
    }

    @Test
    void aCanaryThatTookEffectIsNotBlamedForWhatFailsLater() {
        payments.deadLetters(6, 6);
        List<String> ids =
                payments.texts("SELECT message_id FROM dead_letters ORDER BY origin_partition, origin_offset");
        payments.breakFor(id -> id.equals(ids.get(5)));

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--canary", "2", "--wait");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("6 messages sent", "5 took effect, 1 dead again", "(" + ids.get(5) + ")");
        assertThat(run.err()).doesNotContain("nothing else was sent", "no worker");
    }

    @Test
    void whatWasNotFollowedIsNotSpokenFor() {
        payments.deadLetters(6, 6);

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--canary", "2");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("6 messages sent", "Of the 2 canaries: 2 took effect");
        assertThat(run.err()).contains("dlq list --status replayed");
    }

    @Test
    void thatNobodyIsThereToProcessIsToldBeforeAndAfter() {
        payments.deadLetters(6, 6);
        payments.stopWorkers();

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--canary", "2", "--wait-timeout", "1s");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("2 messages sent", "0 took effect, 0 dead again, 2 still under way");
        assertThat(run.err())
                .contains("no worker of " + payments.name + " runs")
                .contains("gave up waiting after 1s", "nothing else was sent")
                .doesNotContain("a canary failed");
        assertThat(payments.records(payments.replayTopic)).hasSize(2);
    }

    @Test
    void whatIsDecidedWhileTheCanaryIsWaitedForIsNotSent() throws Exception {
        payments.deadLetters(8, 8);
        payments.stopWorkers();
        List<String> ids =
                payments.texts("SELECT message_id FROM dead_letters ORDER BY origin_partition, origin_offset");
        String discarded = ids.get(3);
        String erased = ids.get(4);
        String edited = ids.get(5);
        Background replay = new Background(payments.environment(), "replay", "--all", "--yes", "--canary", "1");
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'") == 1);

        assertThat(payments.dlq("discard", discarded, "--because", "not wanted").exitCode())
                .isZero();
        assertThat(payments.dlq("erase", erased, "--yes", "--because", "request 17")
                        .exitCode())
                .isZero();
        String mended = Files.writeString(directory.resolve("mended"), "4711").toString();
        assertThat(payments.dlq("edit", edited, "--value-file", mended, "--yes").exitCode())
                .isZero();
        payments.startWorker();

        assertThat(replay.exitCode()).as(replay.err()).isEqualTo(1);
        assertThat(replay.out()).contains("5 messages sent", "3 not sent");
        assertThat(replay.err())
                .contains("it was discarded by " + Actor.ofProcess())
                .contains("its data were erased by " + Actor.ofProcess())
                .contains("another payload was sent in its place, or may have been, by " + Actor.ofProcess());
        Payments.await().until(() -> payments.entries() == 6);
        assertThat(payments.texts("SELECT DISTINCT message_id FROM entries"))
                .hasSize(6)
                .doesNotContain(discarded, erased);
        assertThat(payments.texts("SELECT amount FROM entries WHERE message_id = ?", edited))
                .containsExactly("4711");
        assertThat(payments.records(payments.replayTopic)).hasSize(6);
    }

    @Test
    void whatIsDecidedWhileTheRateIsWaitedForIsNotSentAndWhatWasSentIsMarkedAtOnce() throws Exception {
        payments.deadLetters(2, 2);
        payments.stopWorkers();

        Background replay = new Background(payments.environment(), "replay", "--all", "--yes", "--rate", "10/m");
        Payments.await().until(() -> payments.records(payments.replayTopic).size() == 1);
        Payments.await()
                .atMost(Duration.ofSeconds(3))
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'") == 1);
        String other = payments.texts("SELECT message_id FROM dead_letters WHERE status = 'DEAD'")
                .get(0);
        assertThat(payments.dlq("discard", other, "--because", "not wanted").exitCode())
                .isZero();

        assertThat(replay.exitCode()).as(replay.err()).isEqualTo(1);
        assertThat(replay.out()).contains("1 message sent", "1 not sent");
        assertThat(replay.err()).contains("it was discarded by");
        assertThat(payments.records(payments.replayTopic)).hasSize(1);
    }

    @Test
    void F52_aMessageThatFailsTwentyReplaysIsOneLineAndEndsResolved() {
        payments.deadLetters(1, 1);
        payments.breakFor(id -> true);
        for (int round = 1; round <= 20; round++) {
            assertThat(payments.dlq("replay", "m0", "--wait").exitCode()).isEqualTo(1);
            assertThat(payments.dlq("list", "-o", "jsonl").out().lines())
                    .as("what an operator sees after round %d", round)
                    .singleElement()
                    .asString()
                    .contains("\"replays\":" + round, "\"status\":\"DEAD\"");
        }
        List<ConsumerRecord<byte[], byte[]>> copies = payments.records(payments.deadLetterTopic);
        assertThat(copies).hasSize(21);
        assertThat(copies)
                .extracting(copy -> copy.headers().toArray().length)
                .containsOnly(copies.get(0).headers().toArray().length);
        // Instants and the number of replays may have a digit more or less, and a replay is decoded elsewhere.
        assertThat(sizeWithoutTrace(copies.get(20))).isCloseTo(sizeWithoutTrace(copies.get(1)), within(16));
        payments.breakFor(id -> false);

        Runs.Run run = payments.dlq("replay", "m0", "--wait");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(payments.statuses("m0")).hasSize(21).containsOnly("RESOLVED");
        assertThat(payments.texts("SELECT message_id FROM entries")).containsExactly("m0");
        assertThat(payments.dlq("list").err()).contains("No dead letters.");
    }

    private static int sizeWithoutTrace(ConsumerRecord<byte[], byte[]> copy) {
        return StreamSupport.stream(copy.headers().spliterator(), false)
                .filter(header -> !header.key().equals(HeaderNames.DLQ_STACKTRACE.key()))
                .mapToInt(header -> header.key().length() + header.value().length)
                .sum();
    }

    /** By the same rule as in the worker: no tool picks one of the two. */
    @Test
    void F21_anIdHeaderThatOccursTwiceIsNoIdForAnOperatorEither() {
        ProducerRecord<byte[], byte[]> twice =
                new ProducerRecord<>(payments.topic, "account-1".getBytes(UTF_8), "1".getBytes(UTF_8));
        twice.headers().add("message-id", "x".getBytes(UTF_8)).add("message-id", "y".getBytes(UTF_8));
        payments.send(twice);
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 1);

        assertThat(payments.dlq("list", "-o", "jsonl").out()).contains("\"messageId\":null", "INVALID_ID");
        for (String id : List.of("x", "y")) {
            payments.dlq("replay", id);
            assertThat(payments.records(payments.replayTopic))
                    .as("found by %s", id)
                    .isEmpty();
        }
        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--wait");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("1 message sent", "0 took effect, 1 dead again");
        assertThat(payments.entries()).isZero();
        assertThat(payments.records(payments.deadLetterTopic)).hasSize(2).allSatisfy(copy -> {
            assertThat(copy.headers().headers("message-id"))
                    .extracting(header -> new String(header.value(), UTF_8))
                    .containsExactly("x", "y");
            assertThat(copy.headers().lastHeader(HeaderNames.DLQ_MESSAGE_ID.key()))
                    .isNull();
        });
    }

    @Test
    void oneThatCannotBeSentHoldsItsKeyAndNothingElse() {
        payments.deadLetters(30, 3);
        String lost = payments.texts("UPDATE dead_letters SET dlt_offset = 4711 WHERE message_id = 'm3'"
                        + " RETURNING origin_topic || '/' || origin_partition || '/' || origin_offset")
                .get(0);

        Runs.Run run = payments.dlq("replay", "--all", "--yes", "--wait");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("21 messages sent", "9 not sent", "21 took effect");
        assertThat(run.err()).contains(lost + " not sent: there is no record at", "held back, because " + lost);
        assertThat(payments.entriesOf("account-0")).containsExactly("m0");
        assertThat(payments.entriesOf("account-1")).hasSize(10);
        assertThat(payments.texts("SELECT outcome FROM dlq_actions")).containsExactly("PARTLY");

        // Once somebody has decided about it, the others go.
        assertThat(payments.dlq("discard", lost, "--because", "its payload is gone")
                        .exitCode())
                .isZero();
        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").out()).contains("8 messages sent");
        assertThat(payments.entriesOf("account-0")).hasSize(9).doesNotContain("m3");
    }

    @Test
    void oneThatTheBrokerDoesNotTakeHoldsItsKeyAndNothingElse() {
        payments.breakFor(id -> true);
        for (int i = 0; i < 40; i++) {
            payments.send("account-" + i % 4, "m" + i, i == 9 ? "x".repeat(20_000) : String.valueOf(i));
        }
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 40);
        payments.stopWorkers();
        payments.limitReplayTopic(10_000);

        Runs.Run run = payments.dlq("replay", "--all", "--yes");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("Kafka does not take it");
        assertThat(run.out()).contains("32 messages sent", "8 not sent");
        assertThat(payments.texts("SELECT message_id FROM dead_letters WHERE status = 'DEAD' ORDER BY origin_offset"))
                .containsExactly("m9", "m13", "m17", "m21", "m25", "m29", "m33", "m37");
        // None of its key has overtaken it.
        assertThat(payments.records(payments.replayTopic).stream()
                        .filter(record -> new String(record.key(), UTF_8).equals("account-1"))
                        .map(record -> new String(record.value(), UTF_8))
                        .distinct())
                .containsExactly("1", "5");
    }

    @Test
    void manyThatTheBrokerDoesNotTakeAreReportedEachAndTheOthersGo() {
        payments.breakFor(id -> true);
        for (int i = 0; i < 40; i++) {
            payments.send("account-" + i, "m" + i, i % 2 == 1 ? "x".repeat(20_000) : String.valueOf(i));
        }
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 40);
        payments.stopWorkers();
        payments.limitReplayTopic(10_000);

        Runs.Run run = payments.dlq("replay", "--all", "--yes");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("20 messages sent", "20 not sent");
        assertThat(run.err().lines().filter(line -> line.contains("Kafka does not take it")))
                .hasSize(20)
                .doesNotHaveDuplicates();
        assertThat(payments.records(payments.replayTopic).stream()
                        .map(record -> new String(record.value(), UTF_8))
                        .distinct())
                .hasSize(20);
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'"))
                .isEqualTo(20);
    }

    @Test
    void tooOldIsRefusedUnlessSomebodyAssertsIt() {
        payments.deadLetters(2, 2);
        payments.execute("UPDATE dead_letters SET reason = 'TOO_OLD'");

        Runs.Run refused = payments.dlq("replay", "--all", "--yes");

        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("TOO_OLD", "--assert-unprocessed");
        assertThat(payments.records(payments.replayTopic)).isEmpty();

        Runs.Run asserted = payments.dlq("replay", "--all", "--yes", "--wait", "--assert-unprocessed");

        assertThat(asserted.exitCode()).as(asserted.err()).isZero();
        assertThat(payments.texts("SELECT DISTINCT asserted_by FROM dead_letters"))
                .containsExactly(Actor.ofProcess().toString());
        assertThat(payments.texts("SELECT outcome FROM dlq_actions ORDER BY action_id"))
                .containsExactly("REFUSED", "DONE");
    }

    @Test
    void aForgedOriginIsRefused() {
        payments.deadLetters(2, 2);
        payments.execute("UPDATE dead_letters SET origin_topic = 'somebody-elses' WHERE message_id = 'm0'");

        Runs.Run run = payments.dlq("replay", "--all", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("1 message sent", "1 not sent");
        assertThat(run.err()).contains("this consumer has never read a topic somebody-elses");
    }

    @Test
    void aCopyThatIsNotTheOneNamedIsNotSent() {
        payments.deadLetters(2, 2);
        payments.execute("UPDATE dead_letters SET payload_hash = payload_hash + 1 WHERE message_id = 'm0'");
        payments.execute("UPDATE dead_letters SET origin_offset = 999 WHERE message_id = 'm1'");

        Runs.Run run = payments.dlq("replay", "--all", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("has another payload", "tells of another message");
        assertThat(payments.records(payments.replayTopic)).isEmpty();
    }

    @Test
    void aCopyInAPartitionThatIsNotThereIsReportedAndNotWaitedFor() {
        payments.deadLetters(2, 2);
        payments.execute("UPDATE dead_letters SET dlt_partition = 7 WHERE message_id = 'm0'");
        payments.execute("UPDATE dead_letters SET dlt_topic = 'not-there' WHERE message_id = 'm1'");

        Runs.Run run = payments.dlq("replay", "--all", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains(payments.deadLetterTopic + "-7", "not-there", "which does not exist any more")
                .doesNotContain("Cannot connect");
    }

    @Test
    void whatRetentionTakesDuringTheRunIsReportedAndTheRestIsSentAndMarked() throws Exception {
        payments.breakFor(id -> true);
        for (int i = 0; i < 10; i++) {
            payments.send("account-" + i, "m" + i, "x".repeat(100_000));
        }
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 10);
        payments.stopWorkers();
        // One record is fetched at a time.
        Map<String, String> environment = payments.environment();
        environment.put(
                "DLQ_COMMAND_CONFIG",
                Files.writeString(directory.resolve("client.properties"), "max.partition.fetch.bytes=1\n")
                        .toString());

        Background replay = new Background(environment, "replay", "--all", "--yes", "--rate", "30/m");
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'") > 0);
        payments.deleteRecords(payments.deadLetterTopic);

        assertThat(replay.exitCode()).as(replay.err()).isEqualTo(1);
        int sent = payments.records(payments.replayTopic).size();
        assertThat(sent).isBetween(1, 9);
        assertThat(replay.out()).contains(sent + " message", 10 - sent + " not sent");
        assertThat(replay.err()).contains("gone by the retention of the dead-letter topic");
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'"))
                .isEqualTo(sent);
    }

    @Test
    void whatSomebodyElseDiscardedMeanwhileStaysSoAndIsTold() throws Exception {
        payments.deadLetters(2, 2);
        payments.stopWorkers();
        try (Connection other = payments.dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE dead_letters SET status = 'DISCARDED' WHERE message_id = 'm0'");
            Background replay = new Background(payments.environment(), "replay", "--all", "--yes");
            awaitLock();
            other.commit();

            assertThat(replay.exitCode()).as(replay.err()).isZero();
            assertThat(replay.out()).contains("2 messages sent");
            assertThat(replay.err()).contains("1 of those sent had been discarded or replayed by somebody else");
        }
        assertThat(payments.statuses("m0")).containsExactly("DISCARDED");
        assertThat(payments.texts("SELECT outcome || ' ' || detail FROM dlq_actions")
                        .get(0))
                .startsWith("DONE 1 of those sent");
    }

    @Test
    void nothingIsAssertedOfWhatSomebodyElseDiscardedMeanwhile() throws Exception {
        payments.deadLetters(2, 2);
        payments.stopWorkers();
        payments.execute("UPDATE dead_letters SET reason = 'TOO_OLD'");
        try (Connection other = payments.dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE dead_letters SET status = 'DISCARDED' WHERE message_id = 'm0'");
            Background replay =
                    new Background(payments.environment(), "replay", "--all", "--yes", "--assert-unprocessed");
            awaitLock();
            other.commit();

            assertThat(replay.exitCode()).as(replay.err()).isEqualTo(1);
            assertThat(replay.out()).contains("1 message sent", "1 not sent");
            assertThat(replay.err()).contains("it has changed since it was read");
        }
        assertThat(payments.texts("SELECT message_id FROM dead_letters WHERE asserted_by IS NOT NULL"))
                .containsExactly("m1");
    }

    private void awaitLock() {
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                + " AND datname = current_database() AND wait_event_type = 'Lock'")
                        == 1);
    }

    @Test
    void aDryRunTellsAndChangesNothing() {
        payments.deadLetters(10, 10);
        payments.execute("UPDATE dead_letters SET reason = 'TOO_OLD' WHERE message_id = 'm3'");

        Runs.Run run = payments.dlq("replay", "--all", "--dry-run");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("PERMANENT", "9  would be sent", "TOO_OLD", "would not be sent: TOO_OLD");
        assertThat(run.err()).contains("9 messages would be sent to " + payments.replayTopic + ", 1 not. Nothing was.");
        assertThat(payments.records(payments.replayTopic)).isEmpty();
        assertThat(payments.count("SELECT count(*) FROM dlq_actions")).isZero();
    }

    @Test
    void asksBeforeMoreThanOne() {
        payments.deadLetters(2, 2);

        Runs.Run nobody = payments.dlq("replay", "--all");
        Runs.Run no = payments.dlq(TERMINAL, "n\n", "replay", "--all");
        Runs.Run which = payments.dlq("replay", "--yes");

        assertThat(nobody.exitCode()).isEqualTo(4);
        assertThat(nobody.err()).contains("2 dead letters", "--yes");
        assertThat(no.exitCode()).isEqualTo(4);
        assertThat(no.err()).contains("Send 2 dead letters of " + payments.name + " to " + payments.replayTopic);
        assertThat(which.exitCode()).isEqualTo(2);
        assertThat(which.err()).contains("--all");
        assertThat(payments.records(payments.replayTopic)).isEmpty();

        assertThat(payments.dlq(TERMINAL, "y\n", "replay", "--all").out()).contains("2 messages sent");
    }

    @Test
    void oneWithoutAnIdIsFollowedToo() {
        payments.send(new ProducerRecord<>(payments.topic, "account-1".getBytes(UTF_8), "1".getBytes(UTF_8)));
        payments.flush();
        payments.startWorker();
        Payments.await().until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == 1);

        Runs.Run run = payments.dlq("replay", "--reason", "INVALID_ID", "--wait");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out())
                .contains("1 message sent", "0 took effect, 1 dead again", "dead again: " + payments.topic);
    }

    @Test
    void aLimitIsKept() {
        payments.deadLetters(10, 10);

        assertThat(payments.dlq("replay", "--all", "--yes", "--limit", "4").out())
                .contains("4 messages sent");

        assertThat(payments.records(payments.replayTopic)).hasSize(4);
    }

    @Test
    void withoutAReplayTopicItIsRefused() {
        payments.deadLetters(1, 1);
        payments.execute("UPDATE consumers SET replay_topic = 'not-there'");

        Runs.Run run = payments.dlq("replay", "m0");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("not-there", "does not exist", "--create");
        assertThat(payments.statuses("m0")).containsExactly("DEAD");
    }

    @Test
    void anotherGroupOnTheSourceTopicSeesNothing() {
        payments.deadLetters(5, 5);
        int before = payments.records(payments.topic).size();

        assertThat(payments.dlq("replay", "--all", "--yes", "--wait").exitCode())
                .isZero();

        assertThat(payments.records(payments.topic)).hasSize(before);
    }
}
