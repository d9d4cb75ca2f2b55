package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.handler.Coordinates;
import org.junit.jupiter.api.Test;

class TroublesTest {
    private static final Coordinates A = new Coordinates("orders", 0, 1);
    private static final Coordinates B = new Coordinates("orders", 1, 1);
    private static final Coordinates C = new Coordinates("orders", 1, 2);

    private final Troubles troubles = new Troubles();

    @Test
    void noneWhileNothingFailed() {
        troubles.begin(A);
        assertThat(troubles.text()).isEmpty();
    }

    @Test
    void tellsTheLatestAndHowManyMore() {
        begin(A, B, C);
        troubles.failed(A, "a");
        troubles.failed(B, "b");
        troubles.failed(C, "c");
        assertThat(troubles.text()).contains("c; and 2 more");
        troubles.failed(A, "a again");
        assertThat(troubles.text()).contains("a again; and 2 more");
    }

    @Test
    void onlyItsOwnSuccessEndsATrouble() {
        begin(A, B);
        troubles.failed(A, "a");
        troubles.published(B);
        assertThat(troubles.text()).contains("a");
        troubles.begin(A);
        assertThat(troubles.text()).contains("a");
        troubles.published(A);
        assertThat(troubles.text()).isEmpty();
    }

    @Test
    void aPartitionGivenAwayTroublesNobodyAnyMore() {
        begin(A, B, C);
        troubles.failed(A, "a");
        troubles.failed(B, "b");
        troubles.forget("orders", 1);
        troubles.failed(C, "the answer came late");
        assertThat(troubles.text()).contains("a");
    }

    private void begin(Coordinates... records) {
        for (Coordinates record : records) {
            troubles.begin(record);
        }
    }
}
