package dev.onceward.dlq.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeadLetterNamesTest {
    private static final String PATTERN = "dlq.{consumer}.{topic}";

    @Test
    void theOriginSaysWhoseLettersLieInATopicOfTwoMeanings() {
        DeadLetterNames all = new DeadLetterNames(PATTERN, null);

        assertThat(all.owner("dlq.a.b.c", "b.c")).contains("a");
        assertThat(all.owner("dlq.a.b.c", "c")).contains("a.b");
        assertThat(all.owner("dlq.a.b.c", "d")).isEmpty();
        assertThat(new DeadLetterNames(PATTERN, "a").owner("dlq.a.b.c", "b.c")).contains("a");
        assertThat(new DeadLetterNames(PATTERN, "a").owner("dlq.a.b.c", "c")).isEmpty();
        assertThat(new DeadLetterNames(PATTERN, "a").anyOwner("dlq.a.b.c", "c")).contains("a.b");
    }

    @Test
    void aDotIsADot() {
        DeadLetterNames names = new DeadLetterNames(PATTERN, "a.b");

        assertThat(names.fits("dlq.a.b.payments")).isTrue();
        assertThat(names.fits("dlq.axb.payments")).isFalse();
        assertThat(names.fits("dlq.a.b.")).isFalse();
        assertThat(names.fits("x.dlq.a.b.payments")).isFalse();
        assertThat(names).hasToString("dlq.a.b.{topic}");
    }

    @Test
    void otherPatterns() {
        DeadLetterNames shared = new DeadLetterNames("{consumer}-dead", null);
        DeadLetterNames nameless = new DeadLetterNames("dead.{topic}", null);
        DeadLetterNames twice = new DeadLetterNames("{consumer}.dlq.{consumer}.{topic}", null);

        assertThat(shared.owner("billing-dead", "payments")).contains("billing");
        assertThat(shared.tellTheConsumer()).isTrue();
        assertThat(nameless.tellTheConsumer()).isFalse();
        assertThat(nameless.owner("dead.payments", "payments")).isEmpty();
        assertThat(new DeadLetterNames("dead.{topic}", "billing").owner("dead.payments", "payments"))
                .contains("billing");
        assertThat(twice.owner("a.dlq.a.payments", "payments")).contains("a");
        assertThat(twice.fits("a.dlq.b.payments")).isFalse();
    }
}
