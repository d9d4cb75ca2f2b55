package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the files of a running PostgreSQL server, by its low-level backup functions: the binaries from Maven have no
 * {@code pg_basebackup}. What changes while it is copied is repaired from the log when the copy starts.
 */
final class BaseBackup {
    /** Of these directories only the directory itself: what is in them is the running server's own. */
    private static final Set<String> EMPTY = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans");

    private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "postmaster.opts");

    private BaseBackup() {}

    static void take(PostgresAddress server, Path from, Path to) throws IOException, SQLException {
        try (Connection connection =
                        server.dataSource(PostgresAddress.ADMIN_DATABASE).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('standby', true)");
            copy(from, to);
            try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                row.next();
                Files.writeString(to.resolve("backup_label"), row.getString(1));
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                // With its rights: PostgreSQL refuses a directory that others may read.
                Files.copy(directory, target(directory), StandardCopyOption.COPY_ATTRIBUTES);
                boolean empty = EMPTY.contains(from.relativize(directory).toString());
                return empty ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!LEFT_OUT.contains(from.relativize(file).toString())) {
                    copyFile(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                return gone(failure);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                return failure == null ? FileVisitResult.CONTINUE : gone(failure);
            }

            private void copyFile(Path file) throws IOException {
                try {
                    Files.copy(file, target(file), StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                } catch (NoSuchFileException e) {
                    gone(e);
                }
            }

            private Path target(Path file) {
                return to.resolve(from.relativize(file));
            }
        });
    }

    /** Deleted since it was listed: the log tells the copy of that, too. */
    private static FileVisitResult gone(IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failure;
    }
}
