package dev.onceward.dlq.actions;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Who acts.
 *
 * @param user the operating system's user
 * @param host the machine
 */
public record Actor(String user, String host) {
    /** Whoever runs this process. */
    public static Actor ofProcess() {
        return new Actor(System.getProperty("user.name", "unknown"), hostName());
    }

    /** {@code user@host}. */
    @Override
    public String toString() {
        return user + "@" + host;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
