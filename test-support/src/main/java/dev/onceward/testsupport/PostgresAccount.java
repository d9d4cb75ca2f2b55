package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Under which account PostgreSQL's programs run: they refuse root. As an ordinary user nothing needs doing. As root they
 * are given either a user namespace in which root's files belong to an account without rights, or, where namespaces are
 * forbidden (most containers), the account {@code nobody} and its files.
 */
enum PostgresAccount {
    OWN,
    NAMESPACE,
    NOBODY;

    private static final int NOBODY_ID = 65_534; // by number: its group is called nogroup on some systems

    static PostgresAccount choose() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return OWN;
        }
        if (NAMESPACE.works()) {
            return NAMESPACE;
        }
        if (NOBODY.works()) {
            return NOBODY;
        }
        throw new BackendException(
                "PostgreSQL does not run as root, and neither 'unshare -U' nor 'setpriv --reuid=65534'"
                        + " works here: run as an ordinary user, or with -D" + BackendsMode.PROPERTY + "=external");
    }

    List<String> command(List<String> command) {
        List<String> whole = new ArrayList<>(prefix());
        whole.addAll(command);
        return whole;
    }

    /** Makes a file or directory belong to the account. */
    void give(Path file) {
        if (this != NOBODY) {
            return;
        }
        try {
            Files.setAttribute(file, "unix:uid", NOBODY_ID);
            Files.setAttribute(file, "unix:gid", NOBODY_ID);
        } catch (IOException e) {
            throw new BackendException("Could not give " + file + " to the account nobody: " + e, e);
        }
    }

    /** The same for all that is in a directory. */
    void giveAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.forEach(this::give);
        }
    }

    private List<String> prefix() {
        return switch (this) {
            case OWN -> List.of();
            case NAMESPACE -> List.of("unshare", "-U");
            case NOBODY -> List.of("setpriv", "--reuid=" + NOBODY_ID, "--regid=" + NOBODY_ID, "--clear-groups");
        };
    }

    private boolean works() {
        try {
            Process probe = new ProcessBuilder(command(List.of("true")))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return probe.waitFor(10, TimeUnit.SECONDS) && probe.exitValue() == 0;
        } catch (IOException e) {
            return false; // no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
