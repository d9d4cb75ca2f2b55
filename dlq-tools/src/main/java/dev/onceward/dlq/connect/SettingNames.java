package dev.onceward.dlq.connect;

import java.util.Locale;

/** What can be set, named as the option is. */
enum SettingNames {
    BOOTSTRAP_SERVER,
    COMMAND_CONFIG,
    DB_URL,
    DB_USER,
    SCHEMA,
    CONSUMER;

    /** The property in the file. */
    String property() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The environment variable. */
    String variable() {
        return "DLQ_" + name();
    }

    /** The three ways to set it, for messages. */
    String ways() {
        return "give --" + property() + ", set " + variable() + ", or write " + property()
                + "=… into the file of --config";
    }
}
