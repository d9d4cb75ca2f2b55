package dev.onceward.deadletter;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was found about the topics of a plan: findings are logged as they come, problems told all at once. */
final class TopicReport {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReport.class);

    private final TopicPlan plan;
    private final TopicProblems texts;
    private final List<String> problems = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();

    TopicReport(TopicPlan plan) {
        this.plan = plan;
        this.texts = new TopicProblems(plan);
    }

    /** Without these there is no use in creating anything. */
    void absent(TopicAdmin.Described described) {
        described.unauthorised().forEach(topic -> problem(texts.unauthorised(topic)));
        described.missing().stream()
                .filter(plan.sources()::contains)
                .forEach(topic -> problem(texts.missingSource(topic)));
    }

    /** Dead-letter and replay topics that nobody asked to have created. */
    void missing(Set<String> topics) {
        for (String topic : topics) {
            if (plan.isOnlyForUnroutable(topic)) {
                finding(EventNames.TOPIC_UNSUITABLE, texts.missingUnroutable());
            } else {
                problem(texts.missing(topic));
            }
        }
    }

    void problem(String text) {
        problems.add(text);
    }

    void finding(EventNames event, String text) {
        LOG.atWarn().addKeyValue(EventNames.KEY, event).log(text);
        findings.add(text);
    }

    boolean hasProblems() {
        return !problems.isEmpty();
    }

    /**
     * The findings.
     *
     * @throws ConfigurationException there are problems
     */
    List<String> result() {
        if (hasProblems()) {
            throw new ConfigurationException(problems);
        }
        return List.copyOf(findings);
    }
}
