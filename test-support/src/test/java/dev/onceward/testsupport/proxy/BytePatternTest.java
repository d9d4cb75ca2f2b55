package dev.onceward.testsupport.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BytePatternTest {

    @ParameterizedTest
    @CsvSource({"a, banana, '1,3,5'", "ana, banana, '3,5'", "aab, aaab, '3'", "abab, abababa, '3,5'", "x, banana, ''"})
    void findsEachEnd(String pattern, String text, String ends) {
        assertThat(String.join(
                        ",", ends(pattern, text).stream().map(String::valueOf).toList()))
                .isEqualTo(ends);
    }

    /** Against the plain search, on an alphabet of two letters, where beginnings repeat all the time. */
    @Test
    void findsWhatAPlainSearchFinds() {
        Random random = new Random(42);
        for (int round = 0; round < 2_000; round++) {
            String pattern = word(random, 1 + random.nextInt(6));
            String text = word(random, random.nextInt(60));
            List<Integer> expected = new ArrayList<>();
            for (int end = pattern.length() - 1; end < text.length(); end++) {
                if (text.startsWith(pattern, end - pattern.length() + 1)) {
                    expected.add(end);
                }
            }
            assertThat(ends(pattern, text)).as("%s in %s", pattern, text).isEqualTo(expected);
        }
    }

    @Test
    void refusesNothing() {
        assertThatThrownBy(() -> new BytePattern(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Integer> ends(String pattern, String text) {
        BytePattern search = new BytePattern(pattern.getBytes(US_ASCII));
        byte[] bytes = text.getBytes(US_ASCII);
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < bytes.length; i++) {
            if (search.next(bytes[i])) {
                ends.add(i);
            }
        }
        return ends;
    }

    private static String word(Random random, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(random.nextBoolean() ? 'a' : 'b');
        }
        return word.toString();
    }
}
