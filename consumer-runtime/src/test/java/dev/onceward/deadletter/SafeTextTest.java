package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SafeTextTest {
    private static final String GRINNING = "\uD83D\uDE00"; // 4 bytes of UTF-8

    @Test
    void ordinaryTextStaysAsItIs() {
        assertThat(SafeText.line("für 5 € " + GRINNING, 100)).isEqualTo("für 5 € " + GRINNING);
    }

    @Test
    void aLineHasNoControlCharacters() {
        assertThat(SafeText.line("a\u0000b\nc\rd\te\u001b[31mf\u007fg\u0085h\u2028i", 100))
                .isEqualTo("a\\u0000b\\nc\\rd\\te\\u001b[31mf\\u007fg\\u0085h\\u2028i");
    }

    @Test
    void marksThatTurnTextRoundAreShown() {
        assertThat(SafeText.line("\u202Eevil\u2066", 100)).isEqualTo("\\u202eevil\\u2066");
    }

    @Test
    void linesKeepTheirLayout() {
        assertThat(SafeText.lines("a\r\n\tb\u0000", 100)).isEqualTo("a\n\tb\\u0000");
    }

    @Test
    void halfACharacterIsReplaced() {
        assertThat(SafeText.line("a\uD83Db\uDE00", 100)).isEqualTo("a\uFFFDb\uFFFD");
        assertThat(SafeText.line("\uD83D", 100)).isEqualTo("\uFFFD");
    }

    @Test
    void isCutBetweenTwoCharacters() {
        assertThat(SafeText.cut("ab" + GRINNING + "c", 7)).isEqualTo("ab" + GRINNING + "c");
        assertThat(SafeText.cut("ab" + GRINNING + "c", 6)).isEqualTo("ab" + GRINNING);
        assertThat(SafeText.cut("ab" + GRINNING + "c", 5)).isEqualTo("ab");
        assertThat(SafeText.cut("€€", 5)).isEqualTo("€");
        assertThat(SafeText.cut("éé", 3)).isEqualTo("é");
        assertThat(SafeText.cut("abc", 0)).isEmpty();
    }

    @Test
    void cuttingAfterEscapingKeepsTheBound() {
        assertThat(SafeText.line("\u0000\u0000", 7)).isEqualTo("\\u0000\\");
    }

    @Test
    void isIdempotent() {
        String once = SafeText.line("a\u0000\n\uD83D", 100);
        assertThat(SafeText.line(once, 100)).isEqualTo(once);
    }

    @Test
    void anyTextBecomesValidAndBounded() {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            String text = random.ints(random.nextInt(60), 0, 0x10000)
                    .collect(StringBuilder::new, (out, c) -> out.append((char) c), StringBuilder::append)
                    .toString();
            int bound = random.nextInt(80);
            String safe = SafeText.lines(text, bound);
            byte[] bytes = safe.getBytes(StandardCharsets.UTF_8);
            assertThat(bytes.length).isLessThanOrEqualTo(bound);
            assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(safe);
            assertThat(safe).doesNotContain("\u0000");
        }
    }
}
