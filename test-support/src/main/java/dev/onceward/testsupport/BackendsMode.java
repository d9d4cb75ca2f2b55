package dev.onceward.testsupport;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Where the servers for tests come from. */
public enum BackendsMode {
    /** Started here from jars; needs nothing but the JVM. The default. */
    EMBEDDED,
    /** Started with Docker by Testcontainers. */
    CONTAINERS,
    /** Running already, addresses given by system properties. */
    EXTERNAL;

    /** The system property that chooses: {@code embedded}, {@code containers} or {@code external}. */
    public static final String PROPERTY = "onceward.backends";

    /**
     * What the system property says; {@link #EMBEDDED} without one.
     *
     * @throws IllegalArgumentException if it says something else
     */
    public static BackendsMode configured() {
        return parse(System.getProperty(PROPERTY, "embedded"));
    }

    static BackendsMode parse(String value) {
        return Arrays.stream(values())
                .filter(mode -> mode.text().equals(value.trim()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(PROPERTY + "=" + value + " is not known; it may be "
                        + Arrays.stream(values()).map(BackendsMode::text).collect(Collectors.joining(", "))));
    }

    /** The value of the system property that stands for this. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
