package dev.onceward.dlq.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LetterFeedTest {
    private final Index index = new Index();
    private final LetterFeed feed =
            new LetterFeed(index, Filter.all("billing", List.of(DeadLetterStatus.DEAD)), Instant.EPOCH, letters -> {});

    @Test
    void everyLetterComesOnceAndInOrder() throws SQLException {
        index.letters(1_700);

        assertThat(offsets(take(1_700)))
                .isEqualTo(IntStream.range(0, 1_700).boxed().toList());
        assertThat(feed.next()).isNull();
    }

    @Test
    void itBeginsAgainAtTheFirstThatIsNotDecided() throws SQLException {
        index.letters(20);
        List<Letter> letters = take(10);
        for (int i : List.of(0, 1, 2, 4, 6)) {
            index.marked.add(letters.get(i));
            feed.marked(letters.get(i));
        }
        feed.leftOut(letters.get(3));
        feed.leftOut(letters.get(8));
        index.asked.clear();

        feed.beginAgain();

        assertThat(offsets(take(15))).startsWith(5, 7, 9, 10).endsWith(19);
        assertThat(index.asked).startsWith(4).doesNotContain(-1);
    }

    @Test
    void whatIsLeftOutStaysSoHoweverOftenItBeginsAgain() throws SQLException {
        index.letters(4);
        List<Letter> letters = take(4);
        feed.leftOut(letters.get(1));
        feed.leftOut(letters.get(2));

        for (int again = 0; again < 3; again++) {
            feed.beginAgain();
            assertThat(offsets(take(2))).containsExactly(0, 3);
        }
    }

    @Test
    void itIsFullUntilTheFirstOnesAreDecided() throws SQLException {
        index.letters(LetterFeed.WINDOW + 1);
        List<Letter> letters = take(LetterFeed.WINDOW);

        letters.subList(1, letters.size()).forEach(feed::marked);
        assertThat(feed.isFull()).isTrue();
        feed.marked(letters.get(0));

        assertThat(feed.isFull()).isFalse();
        assertThat(offsets(take(1))).containsExactly(LetterFeed.WINDOW);
    }

    private List<Letter> take(int count) throws SQLException {
        List<Letter> letters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Letter letter = feed.next();
            if (letter != null) {
                letters.add(letter);
            }
        }
        return letters;
    }

    private static List<Integer> offsets(List<Letter> letters) {
        return letters.stream()
                .map(letter -> (int) letter.origin().coordinates().offset())
                .toList();
    }

    /** Gives what is not marked, as the database does. */
    private static final class Index implements LetterSource {
        final Set<Letter> marked = new HashSet<>();
        final List<Integer> asked = new ArrayList<>();
        private List<Letter> letters = List.of();

        void letters(int count) {
            letters = IntStream.range(0, count)
                    .mapToObj(offset -> Letters.letter(offset, "key"))
                    .toList();
        }

        @Override
        public List<Letter> page(Filter filter, Instant asOf, @Nullable Letter after, int size) {
            int last = after == null ? -1 : (int) after.origin().coordinates().offset();
            asked.add(last);
            return letters.stream()
                    .skip(last + 1)
                    .filter(letter -> !marked.contains(letter))
                    .limit(size)
                    .toList();
        }

        @Override
        public boolean knowsStatus() {
            return true;
        }

        @Override
        public List<String> consumers() {
            return List.of("billing");
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public void list(Filter filter, long limit, Consumer<Letter> taker) {
            letters.forEach(taker);
        }

        @Override
        public long count(Filter filter) {
            return letters.size();
        }

        @Override
        public long count(Filter filter, Instant asOf) {
            return letters.size();
        }

        @Override
        public List<String> stacktraces(List<Letter> asked) {
            return asked.stream().map(letter -> "").toList();
        }
    }
}
