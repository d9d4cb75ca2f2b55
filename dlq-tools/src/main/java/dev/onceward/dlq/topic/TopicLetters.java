package dev.onceward.dlq.topic;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.People;
import dev.onceward.handler.Coordinates;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters as the dead-letter topics tell them, for when there is no database: what failed and why, as their
 * headers say, and not what became of it since. Of several copies of one message the newest tells. What is written after
 * the topics are first looked at is not seen.
 *
 * <p>Two passes, because a topic may hold more than memory: the first one finds the newest copies and keeps only their
 * places, the second one reads those that are asked for. For one thread.
 */
public final class TopicLetters implements LetterSource {
    /** Letters without payloads, read together: so many are a few megabytes, and one pass forward over the topics. */
    private static final int CHUNK = 2_000;

    private final Connections connections;
    private final DeadLetterNames names;
    private final Clock clock;
    private final Consumer<String> notice;
    private final TopicSweep sweep;
    private @Nullable LetterReader reader;
    private @Nullable Swept swept;

    /**
     * Of the topics that fit the pattern now.
     *
     * @param pattern names of dead-letter topics, with {@code {consumer}} and {@code {topic}}
     * @param clock for ages
     * @param notice takes what the reader of the letters has to know, in words
     * @throws CannotConnectException Kafka does not answer
     * @throws UsageException there is no such topic
     */
    public TopicLetters(Connections connections, String pattern, Clock clock, Consumer<String> notice) {
        this.connections = connections;
        this.names = new DeadLetterNames(pattern, connections.consumer().orElse(null));
        this.clock = clock;
        this.notice = notice;
        if (!names.tellTheConsumer()) {
            throw new UsageException("--consumer: say which; names like " + pattern + " do not tell");
        }
        Set<String> topics =
                new TreeSet<>(connections.await(connections.admin().listTopics().names()));
        topics.removeIf(topic -> !names.fits(topic));
        if (topics.isEmpty()) {
            throw new UsageException("Kafka at " + connections.kafkaAddress() + " has no topic " + names
                    + ", or shows none to this user; look at --consumer and --dead-letter-pattern");
        }
        this.sweep = TopicSweep.of(connections, topics);
    }

    @Override
    public boolean knowsStatus() {
        return false;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public void list(Filter filter, long limit, Consumer<Letter> taker) {
        List<Located> wanted = index(filter).wanted(Located.NEWEST_FIRST);
        int end = (int) Math.min(limit, wanted.size());
        for (int start = 0; start < end; start += CHUNK) {
            letters(wanted.subList(start, Math.min(end, start + CHUNK))).forEach(taker);
        }
    }

    @Override
    public long count(Filter filter) {
        return index(filter).wanted();
    }

    /** {@inheritDoc} What is in the topics at all was in them when they were first looked at. */
    @Override
    public long count(Filter filter, Instant asOf) {
        return count(filter);
    }

    /** {@inheritDoc} The instant is that at which the topics were first looked at, whatever is given. */
    @Override
    public List<Letter> page(Filter filter, Instant asOf, @Nullable Letter after, int size) {
        List<Located> wanted = index(filter).wanted(Located.ORIGINAL_ORDER);
        int start = 0;
        if (after != null) {
            Coordinates origin = after.origin().coordinates();
            Located last = new Located(
                    new Located.Message(
                            after.consumer(),
                            origin.topic(),
                            origin.partition(),
                            origin.offset(),
                            after.origin().timestamp()),
                    0,
                    "",
                    0,
                    0,
                    Located.Meant.YES);
            int found = Collections.binarySearch(wanted, last, Located.ORIGINAL_ORDER);
            start = found >= 0 ? found + 1 : -found - 1;
        }
        List<Letter> letters = new ArrayList<>();
        // An empty page is the last one: one whose letters have all gone since must not be taken for it.
        while (letters.isEmpty() && start < wanted.size()) {
            int end = Math.min(wanted.size(), start + size);
            letters.addAll(letters(wanted.subList(start, end)));
            start = end;
        }
        return letters;
    }

    /** {@inheritDoc} Topics tell of no consumer for certain: only the one that was named. */
    @Override
    public List<String> consumers() {
        return List.of(connections
                .consumer()
                .orElseThrow(() -> new UsageException("--consumer: say which; only the database knows them")));
    }

    @Override
    public List<String> stacktraces(List<Letter> letters) {
        return letters.stream().map(this::stacktraceOf).toList();
    }

    private String stacktraceOf(Letter letter) {
        ConsumerRecord<byte[], byte[]> record = letter.copy() == null ? null : reader().at(letter.copy());
        return record == null
                ? ""
                : TopicCopy.of(record).map(TopicCopy::stacktrace).orElse("");
    }

    private TopicIndex index(Filter filter) {
        if (swept == null || !swept.filter().equals(filter)) {
            TopicIndex found = new TopicIndex(names, filter);
            sweep.forEach(found::add);
            tell(found.complete(), swept == null);
            swept = new Swept(filter, found);
        }
        return swept.index();
    }

    private void tell(TopicIndex found, boolean first) {
        if (first) {
            found.foreign()
                    .forEach((topic, count) -> notice.accept(People.count(count, "record") + " of " + topic + " "
                            + (count == 1 ? "is no dead letter" : "are no dead letters")
                            + " of ours, or had no room to say so; not listed"));
        }
        if (found.unclear() > 0) {
            notice.accept(People.count(found.unclear(), "dead letter") + " had no room to tell id and reason: whether"
                    + " the filter means them is not known; not listed");
        }
    }

    /** In the order asked for; read in the order in which they lie. */
    private List<Letter> letters(List<Located> wanted) {
        Map<Located, Letter> read = new HashMap<>();
        List<Located> places = new ArrayList<>(wanted);
        places.sort(Located.BY_PLACE);
        for (Located located : places) {
            ConsumerRecord<byte[], byte[]> record = reader().at(located.copy());
            if (record != null) {
                TopicCopy.of(record)
                        .ifPresent(copy ->
                                read.put(located, copy.letter(located.message().consumer())));
            }
        }
        if (read.size() < wanted.size()) {
            notice.accept(People.count(wanted.size() - read.size(), "dead letter")
                    + " left the dead-letter topic meanwhile, by its retention");
        }
        List<Letter> letters = new ArrayList<>();
        for (Located located : wanted) {
            Letter letter = read.get(located);
            if (letter != null) {
                letters.add(letter);
            }
        }
        return letters;
    }

    private LetterReader reader() {
        if (reader == null) {
            reader = new LetterReader(connections); // closed with the connections
        }
        return reader;
    }

    /** What was found, for this filter. */
    private record Swept(Filter filter, TopicIndex index) {}
}
