package dev.onceward.dlq.connect;

import dev.onceward.dlq.exit.UsageException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is, taken apart, so that the address can be shown without its password.
 *
 * @param jdbc the URL as the driver takes it, without user and password
 * @param user as the URL names it
 * @param password as the URL names it
 */
record DatabaseAddress(
        String jdbc, @Nullable String user, @Nullable String password) {
    private static final String SCHEME = "postgresql://";
    /** Hosts with ports, several of them or none, and a database. */
    private static final Pattern PLACE =
            Pattern.compile("(([^/:@?#,\\[\\]]+|\\[[0-9a-fA-F:.%]+])(:[0-9]+)?,?)*(/[^/@?#]*)?");

    /**
     * Reads {@code jdbc:postgresql://…}, {@code postgresql://…} and {@code postgres://…}.
     *
     * @throws UsageException it is none of these
     */
    static DatabaseAddress parse(String url) {
        String rest = url.startsWith("jdbc:") ? url.substring("jdbc:".length()) : url;
        if (rest.startsWith("postgres://")) {
            rest = SCHEME + rest.substring("postgres://".length());
        }
        if (!rest.startsWith(SCHEME)) {
            throw new UsageException("--db-url: must begin with postgresql:// or jdbc:postgresql://, as in"
                    + " postgresql://db.example:5432/payments");
        }
        rest = rest.substring(SCHEME.length());
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        String place = question < 0 ? rest : rest.substring(0, question);
        int at = place.lastIndexOf('@');
        refuseMisread(place.substring(at + 1), query);
        String[] credentials = at < 0 ? new String[0] : place.substring(0, at).split(":", 2);
        String jdbc = "jdbc:" + SCHEME + place.substring(at + 1);
        String others = Arrays.stream(query.split("&"))
                .filter(parameter -> !parameter.isEmpty())
                .filter(parameter -> !parameter.startsWith("user=") && !parameter.startsWith("password="))
                .collect(Collectors.joining("&"));
        return new DatabaseAddress(
                others.isEmpty() ? jdbc : jdbc + "?" + others,
                first(parameter(query, "user"), credentials.length > 0 ? decoded(credentials[0]) : null),
                first(parameter(query, "password"), credentials.length > 1 ? decoded(credentials[1]) : null));
    }

    /**
     * An unescaped sign of the URL's own inside a password would end it there: the rest would be taken for something else,
     * and written to the screen, by us or by the driver.
     */
    private static void refuseMisread(String place, String query) {
        boolean parameters = Arrays.stream(query.split("&")).allMatch(part -> part.isEmpty() || part.contains("="));
        if (!PLACE.matcher(place).matches() || !parameters) {
            throw new UsageException(
                    "--db-url: is not like postgresql://db.example:5432/payments?name=value. If user or"
                            + " password hold one of : / ? # @ % write it as %3A %2F %3F %23 %40 %25; better: put the password into"
                            + " PGPASSWORD or ~/.pgpass");
        }
    }

    /** Whether a parameter of the query is a password: of the database, or of the key for its connection. */
    private static boolean isSecret(String parameter) {
        return parameter.toLowerCase(Locale.ROOT).matches("(ssl)?password=.*");
    }

    /** Every password in the URL, to be refused or hidden. */
    List<String> secrets() {
        int question = jdbc.indexOf('?');
        Stream<String> others = question < 0
                ? Stream.of()
                : Arrays.stream(jdbc.substring(question + 1).split("&"))
                        .filter(DatabaseAddress::isSecret)
                        .map(parameter -> decoded(parameter.substring(parameter.indexOf('=') + 1)));
        return Stream.concat(Stream.ofNullable(password), others).toList();
    }

    /** Without user and password. */
    @Override
    public String toString() {
        int question = jdbc.indexOf('?');
        return (question < 0 ? jdbc : jdbc.substring(0, question)).substring("jdbc:".length());
    }

    private static @Nullable String parameter(String query, String name) {
        return Arrays.stream(query.split("&"))
                .filter(parameter -> parameter.startsWith(name + "="))
                .map(parameter -> decoded(parameter.substring(name.length() + 1)))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one != null ? one : other;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--db-url: has a % that is not followed by two hexadecimal digits");
        }
    }
}
