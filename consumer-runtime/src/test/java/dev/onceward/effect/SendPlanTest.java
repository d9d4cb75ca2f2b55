package dev.onceward.effect;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SendPlanTest {
    private static final String INSERT = "INSERT INTO t VALUES (?)";
    private static final String UPDATE = "UPDATE t SET a = ?";
    private static final String CALL = "SELECT f(?)";

    @Test
    void sendsOneTextAsOneBatch() {
        assertThat(plan(nCopies(100, UPDATE))).containsExactly("batch 100");
        assertThat(plan(List.of(UPDATE))).containsExactly("batch 1");
        assertThat(plan(nCopies(2_500, INSERT))).containsExactly("batch 1000", "batch 1000", "batch 500");
    }

    @Test
    void neverBatchesWhatGivesRows() {
        assertThat(plan(nCopies(2, CALL))).containsExactly("recurring 2");
        assertThat(plan(nCopies(2, INSERT + " RETURNING a"))).containsExactly("recurring 2");
        assertThat(plan(nCopies(2, "WITH x AS (SELECT 1) INSERT INTO t SELECT ?")))
                .containsExactly("recurring 2");
    }

    @Test
    void neverBatchesInsertsThatTheDriverWouldRewrite() {
        List<DeclaredUpdate> inserts = updates(nCopies(64, INSERT));

        assertThat(describe(SendPlan.of(inserts, true))).containsExactly("recurring 64");
        assertThat(describe(SendPlan.of(updates(nCopies(64, UPDATE)), true))).containsExactly("batch 64");
    }

    @ParameterizedTest
    @CsvSource({
        "1, recurring 2",
        "2, recurring 4",
        "3, recurring 6",
        "4, recurring 8",
        "5, recurring 8 | recurring 2",
        "7, recurring 8 | recurring 6",
        "15, recurring 16 | recurring 8 | recurring 6",
        "31, recurring 32 | recurring 16 | once 14",
        "63, recurring 64 | recurring 32 | once 30",
        "100, recurring 128 | recurring 64 | recurring 8",
        "127, recurring 128 | recurring 64 | recurring 32 | once 30",
        "192, recurring 128 | recurring 128 | recurring 128"
    })
    void sendsARepeatedPatternInPowersOfTwoAndAtMostThreePiecesBeyondTheFullOnes(int messages, String expected) {
        List<String> texts = IntStream.range(0, messages)
                .boxed()
                .flatMap(i -> List.of(INSERT, UPDATE).stream())
                .toList();

        assertThat(String.join(" | ", plan(texts))).isEqualTo(expected);
    }

    @Test
    void findsPatternsOfThree() {
        List<String> texts = IntStream.range(0, 40)
                .boxed()
                .flatMap(i -> List.of(INSERT, INSERT, UPDATE).stream())
                .toList();

        assertThat(plan(texts)).containsExactly("recurring 96", "recurring 24");
    }

    @Test
    void sendsTheIrregularInOneGo() {
        List<String> texts = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 120; i++) {
            texts.add("UPDATE t SET c" + random.nextInt(50) + " = ?");
        }
        assertThat(plan(texts)).containsExactly("once 120");
    }

    @Test
    void separatesLongRunsFromWhatSurroundsThem() {
        List<String> texts = new ArrayList<>(List.of(CALL, INSERT, CALL));
        texts.addAll(nCopies(50, UPDATE));
        texts.add(CALL);

        assertThat(plan(texts)).containsExactly("recurring 3", "batch 50", "recurring 1");
    }

    @Test
    void keepsShortRunsWithTheirNeighbours() {
        List<String> texts = new ArrayList<>(List.of(CALL));
        texts.addAll(nCopies(15, UPDATE));
        texts.addAll(nCopies(15, INSERT));

        assertThat(plan(texts)).containsExactly("once 31");
    }

    @Test
    void boundsPlaceholdersAndCharacters() {
        String wide = "INSERT INTO wide VALUES (?" + ", ?".repeat(999) + ") RETURNING 1";
        assertThat(plan(nCopies(100, wide)))
                .containsExactly("recurring 32", "recurring 32", "recurring 32", "recurring 4");

        String big = "SELECT f(?, '" + "x".repeat(50_000) + "')";
        assertThat(plan(nCopies(4, big))).containsExactly("recurring 2", "recurring 2");

        List<String> bigOnes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            bigOnes.add(big + i);
        }
        assertThat(plan(bigOnes)).containsExactly("recurring 2", "recurring 2", "recurring 1");
    }

    @Test
    void sendsASingleUpdateThatIsOverEveryBound() {
        assertThat(plan(List.of("SELECT '" + "x".repeat(300_000) + "'"))).containsExactly("recurring 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neverChangesTheOrderNorTheBoundsWhateverIsDeclared(boolean insertsRewritten) {
        List<String> texts = List.of(INSERT, UPDATE, CALL, "DELETE FROM t WHERE a = ?", "SELECT 1");
        for (long seed = 0; seed < 300; seed++) {
            List<DeclaredUpdate> updates = updates(patchwork(texts, new SplittableRandom(seed)));
            List<Chunk> chunks = SendPlan.of(updates, insertsRewritten);

            assertThat(chunks.stream()
                            .flatMap(chunk -> chunk.updates().stream())
                            .toList())
                    .as("seed %d", seed)
                    .isEqualTo(updates);
            assertThat(chunks).allSatisfy(chunk -> {
                assertThat(chunk.updates()).isNotEmpty();
                if (chunk instanceof MixedSequence) {
                    assertThat(chunk.updates()).hasSizeLessThanOrEqualTo(SendPlan.MOST_STATEMENTS);
                } else {
                    assertThat(chunk.updates().stream().map(DeclaredUpdate::sql).distinct())
                            .hasSize(1);
                    assertThat(chunk.updates()).hasSizeLessThanOrEqualTo(SameSqlBatch.MOST);
                }
            });
        }
    }

    /** The texts that are kept prepared must be few, whatever the sizes of the groups. */
    @Test
    void letsFewDifferentTextsRecur() {
        long different = IntStream.rangeClosed(1, 200)
                .boxed()
                .flatMap(messages -> SendPlan.of(
                        updates(IntStream.range(0, messages)
                                .boxed()
                                .flatMap(i -> List.of(INSERT, UPDATE).stream())
                                .toList()),
                        false)
                        .stream())
                .filter(chunk -> chunk instanceof MixedSequence sequence && sequence.recurring())
                .map(chunk -> chunk.updates().size())
                .distinct()
                .count();

        assertThat(different).isLessThanOrEqualTo(8);
    }

    private static List<String> patchwork(List<String> texts, SplittableRandom random) {
        List<String> patchwork = new ArrayList<>();
        int pieces = random.nextInt(1, 6);
        for (int i = 0; i < pieces; i++) {
            List<String> pattern = new ArrayList<>();
            for (int k = random.nextInt(1, 20); k > 0; k--) {
                pattern.add(texts.get(random.nextInt(texts.size())));
            }
            nCopies(random.nextInt(1, 80), pattern).forEach(patchwork::addAll);
        }
        return patchwork;
    }

    private static List<String> plan(List<String> texts) {
        return describe(SendPlan.of(updates(texts), false));
    }

    private static List<String> describe(List<Chunk> chunks) {
        return chunks.stream()
                .map(chunk -> {
                    String kind = chunk instanceof MixedSequence sequence
                            ? sequence.recurring() ? "recurring " : "once "
                            : "batch ";
                    return kind + chunk.updates().size();
                })
                .toList();
    }

    private static List<DeclaredUpdate> updates(List<String> texts) {
        List<DeclaredUpdate> updates = new ArrayList<>();
        for (String sql : texts) {
            SqlText text = SqlText.of(sql);
            Object[] arguments = new Object[text.placeholders()];
            Arrays.fill(arguments, updates.size());
            updates.add(new DeclaredUpdate(
                    updates.size(), text, Collections.unmodifiableList(Arrays.asList(arguments)), DeclaredUpdate.ANY));
        }
        return updates;
    }
}
