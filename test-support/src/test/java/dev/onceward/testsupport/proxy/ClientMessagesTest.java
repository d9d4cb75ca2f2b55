package dev.onceward.testsupport.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientMessagesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                " commit ;",
                "END",
                "commit and chain",
                "/* a\ncomment */ COMMIT",
                "-- a comment\nCOMMIT",
                "UPDATE accounts SET amount = 1; COMMIT",
                "COMMIT; BEGIN"
            })
    void commits(String sql) {
        assertThat(ClientMessages.commits(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BEGIN",
                "ROLLBACK",
                "COMMIT PREPARED 'name'",
                "SELECT committed FROM commits",
                "SELECT CASE WHEN a THEN b END",
                "COMMITTED",
                "ENDLESS"
            })
    void doesNotCommit(String sql) {
        assertThat(ClientMessages.commits(sql)).isFalse();
    }
}
