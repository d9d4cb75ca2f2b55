package dev.onceward.dlq;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a command's {@code --help} says beside its description and its options. Every command has one. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface Manual {
    /** At least one; real ones. A test parses them. */
    Example[] examples();

    /** Names of commands, without {@code dlq}. */
    String[] seeAlso() default {};

    /** A command line, and what it is for. */
    @interface Example {
        /** What it does, in a few words. */
        String does();

        /** As it is typed, beginning with {@code dlq}. */
        String command();
    }
}
