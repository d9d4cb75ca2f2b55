import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Fetches a Maven distribution (a zip with one top folder), checks it and unpacks it. Used by ./mvnw. */
public class FetchMaven {
    public static void main(String[] arguments) throws Exception {
        try {
            fetch(URI.create(arguments[0]), arguments[1], Path.of(arguments[2]));
        } catch (IOException e) {
            System.err.println("mvnw: " + e);
            System.exit(1);
        }
    }

    private static void fetch(URI source, String sha512, Path target) throws Exception {
        // Beside the target: the move at the end must not cross file systems, and nobody may see a half-filled folder.
        Files.createDirectories(target.getParent());
        Path work = Files.createTempDirectory(target.getParent(), "fetching-");
        try {
            System.err.println("mvnw: fetching " + source);
            Path zip = work.resolve("maven.zip");
            String found = download(source, zip);
            if (!found.equals(sha512)) {
                throw new IOException("SHA-512 of " + source + " is " + found + ", expected " + sha512);
            }
            Path unpacked = work.resolve("unpacked");
            unpack(zip, unpacked);
            moveUnlessThere(unpacked, target);
        } finally {
            delete(work);
        }
    }

    private static String download(URI source, Path zip) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-512");
        try (InputStream in = new DigestInputStream(source.toURL().openStream(), digest)) {
            Files.copy(in, zip);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void unpack(Path zip, Path target) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                String name = entry.getName();
                Path file = target.resolve(name.substring(name.indexOf('/') + 1)).normalize();
                if (!file.startsWith(target)) {
                    throw new IOException("Entry outside of the folder: " + name);
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(file);
                } else {
                    Files.createDirectories(file.getParent());
                    Files.copy(in, file);
                    // A zip read as a stream does not tell the permissions.
                    if (file.getParent().equals(target.resolve("bin"))) {
                        file.toFile().setExecutable(true, false);
                    }
                }
            }
        }
    }

    private static void moveUnlessThere(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Another build on this machine may have been faster; what exactly is thrown then depends on the system.
            if (!Files.isDirectory(to)) {
                throw e;
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
