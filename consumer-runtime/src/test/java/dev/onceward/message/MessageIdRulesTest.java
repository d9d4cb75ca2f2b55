package dev.onceward.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.handler.InvalidMessageIdException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageIdRulesTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", " a ", "4711", "Ünïcödé", "a\tb", "\uD83D\uDE00", "~!@#$%^&*()'\"\\"})
    void takesAnIdAsItIs(String id) {
        assertThat(MessageIdRules.checked(id)).isSameAs(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
    void refusesNothing(String id) {
        assertInvalid(id, id.isEmpty() ? "empty" : "blank");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "a\0", "\0a", "a\0b"})
    void refusesNul(String id) {
        assertInvalid(id, "NUL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE00", "a\uD83Db", "\uDE00\uD83D", "\uD83D\uD83D\uDE00", "\uD83D\uDE00\uDE00"})
    void refusesHalfASurrogatePair(String id) {
        assertInvalid(id, "surrogate");
    }

    @Test
    void countsCharactersAsPostgresqlDoes() {
        String twoHundred = "\uD83D\uDE00".repeat(200);
        assertThat(MessageIdRules.checked(twoHundred)).isEqualTo(twoHundred);
        assertThat(MessageIdRules.checked("é".repeat(200))).hasSize(200);
        assertInvalid(twoHundred + "a", "201 characters");
        assertInvalid("a".repeat(201), "201 characters");
        assertInvalid("a".repeat(200) + " ", "201 characters");
    }

    @Test
    void keepsIdsApartThatDifferOnlyAtTheEnd() {
        String prefix = "p".repeat(199);
        assertThat(MessageIdRules.checked(prefix + "1")).isNotEqualTo(MessageIdRules.checked(prefix + "2"));
    }

    @Test
    void doesNotRepeatTheIdInTheError() {
        String secret = "4000-1234-".repeat(30);
        assertThatThrownBy(() -> MessageIdRules.checked(secret)).hasMessageNotContaining("4000");
    }

    private static void assertInvalid(String id, String what) {
        assertThatThrownBy(() -> MessageIdRules.checked(id))
                .isInstanceOf(InvalidMessageIdException.class)
                .hasMessageContaining(what);
    }
}
