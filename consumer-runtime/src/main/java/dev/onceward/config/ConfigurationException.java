package dev.onceward.config;

import java.io.Serial;
import java.util.List;

/** Settings that cannot work; names every problem at once, each with its key and what to do. */
public class ConfigurationException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** @param problems one line each: key, what is wrong, what to do; not empty */
    public ConfigurationException(List<String> problems) {
        super(
                problems.size() == 1
                        ? "setting " + problems.get(0)
                        : problems.size() + " settings cannot work:\n  - " + String.join("\n  - ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line for each problem. */
    public List<String> problems() {
        return problems;
    }
}
