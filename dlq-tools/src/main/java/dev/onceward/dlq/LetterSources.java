package dev.onceward.dlq;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.topic.TopicLetters;
import java.sql.SQLException;
import java.time.Clock;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Where a command that only looks takes dead letters from: the database, which knows all; else, while it cannot be
 * reached, the dead-letter topic, which knows what failed and why. A picocli mixin.
 */
final class LetterSources {
    private static final String NOT_KNOWN =
            "Not known: status, replays, what operators decided, and what the topic's" + " retention took away.";

    @Option(
            names = "--from-topic",
            description =
                    "Read the dead-letter topic and not the database: what failed and why, without its status. Done"
                            + " by itself while the database cannot be reached.",
            order = 30)
    private boolean fromTopic;

    @Mixin
    private DeadLetterPattern pattern = new DeadLetterPattern();

    /**
     * Opens the source, and says on standard error if it is the topic.
     *
     * @param namesStatus whether statuses are asked for: the topic does not know them, and ignoring them would show more
     *     than was asked for
     * @throws CannotConnectException neither can be reached, or the database cannot and must
     * @throws UsageException something is missing, or cannot be had from the topic
     */
    LetterSource open(Connections connections, Console console, boolean namesStatus) {
        if (fromTopic) {
            if (namesStatus) {
                throw new UsageException("--status: only the database knows it, so not with --from-topic");
            }
            LetterSource topic = topic(connections, console);
            console.say("Dead letters as the dead-letter topic tells them. " + NOT_KNOWN);
            return topic;
        }
        try {
            return new DeadLetterIndex(connections);
        } catch (CannotConnectException e) {
            // A database that answers and has other tables, or denies them, is not away: that must be mended.
            if (e.getCause() instanceof SQLException failure && Failures.isConnection(failure)) {
                return instead(connections, console, namesStatus, e);
            }
            throw e;
        }
    }

    private LetterSource instead(
            Connections connections, Console console, boolean namesStatus, CannotConnectException away) {
        if (namesStatus) {
            throw new CannotConnectException(
                    away.getMessage()
                            + ".\nWithout it the status is not known; without --status, the dead-letter topic is read",
                    away);
        }
        LetterSource topic;
        try {
            topic = topic(connections, console);
        } catch (CannotConnectException | UsageException e) {
            throw new CannotConnectException(
                    away.getMessage() + ".\nThe dead-letter topic cannot be read instead: " + e.getMessage(), away);
        }
        console.say("dlq: " + away.getMessage() + ".\nDead letters as the dead-letter topic tells them. " + NOT_KNOWN);
        return topic;
    }

    private LetterSource topic(Connections connections, Console console) {
        return new TopicLetters(
                connections, pattern.value(), Clock.systemUTC(), message -> console.say("dlq: " + message));
    }
}
