package dev.onceward.deadletter;

import dev.onceward.catalog.SettingKeys;
import java.util.Collection;
import java.util.Optional;

/** What is said about topics that are not as a consumer needs them. Pure. */
final class TopicProblems {
    private final TopicPlan plan;

    TopicProblems(TopicPlan plan) {
        this.plan = plan;
    }

    String unauthorised(String topic) {
        boolean read = plan.sources().contains(topic) || topic.equals(plan.replay());
        return "topics: not authorised to see " + plan.role(topic) + "; grant " + (read ? "READ" : "WRITE")
                + " and DESCRIBE on it";
    }

    String missingSource(String topic) {
        return "topics: " + plan.role(topic) + " does not exist; create it, or correct the name that its handler is"
                + " registered with (source topics are never created here)";
    }

    String missing(String topic) {
        String pattern = topic.equals(plan.replay()) ? TopicPlan.REPLAY_PATTERN : TopicPlan.DEAD_LETTER_PATTERN;
        return pattern + ": " + plan.role(topic) + " does not exist; create it, or have it created: set "
                + SettingKeys.DEAD_LETTERS_CREATE_ENABLED + " to true, or call createTopics(...) of the builder";
    }

    String missingUnroutable() {
        return plan.role(plan.unroutable()) + " does not exist: a record of " + plan.role(plan.replay())
                + " that names no topic of this consumer would hold up its partition; create it";
    }

    /** Settings that may not be read cannot be checked. */
    Optional<String> unreadable(Collection<String> topics) {
        return topics.isEmpty()
                ? Optional.empty()
                : Optional.of("onceward.retention.check: not authorised to read the retention of " + topics
                        + ", so nobody checks that claims outlive the records; grant DESCRIBE_CONFIGS on them");
    }
}
