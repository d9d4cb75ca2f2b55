package dev.onceward.postgres;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Onceward's tables with their schema, ready to stand in SQL, and the advisory-lock class that belongs to the schema. */
public final class Tables {
    private final String prefix;
    private final int lockClass;

    public Tables(String schema) {
        this.prefix = '"' + schema.replace("\"", "\"\"") + "\".";
        this.lockClass = lockClassOf(schema);
    }

    /** Replaces {@code {table}} names in braces by qualified ones: {@code {dead_letters}}. */
    public String sql(String template) {
        return template.replace("{", prefix).replace("}", "");
    }

    /**
     * First key of every advisory lock: derived from the schema, so that two installations in one database do not
     * share locks. Never negative, because {@code pg_locks} shows it as an unsigned oid.
     */
    public int lockClass() {
        return lockClass;
    }

    private static int lockClassOf(String schema) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(("onceward:" + schema).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getInt() & Integer.MAX_VALUE;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
