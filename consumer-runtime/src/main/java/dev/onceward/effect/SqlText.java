package dev.onceward.effect;

import dev.onceward.effect.SqlLexer.Token;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Parser;

/**
 * What an SQL text consists of, found without a server.
 *
 * @param sent what the driver makes of it: without JDBC's escape syntax
 * @param control the first transaction-control statement in it; {@code null}: none
 * @param firstWord the first word in lower case; empty if it does not begin with a word
 * @param statements how many statements it has, empty ones not counted
 * @param placeholders how many {@code ?} it has
 * @param terminated whether every quote and comment ends
 * @param returning whether the word RETURNING stands in it
 * @param doubtful whether a word that can end a transaction stands anywhere in it, be it quoted: without one, no error
 *     of this reading could have let a transaction's end through
 * @param savepoint whether the word SAVEPOINT stands anywhere in it, be it quoted: without it, none is set
 */
record SqlText(
        String sent,
        @Nullable String control,
        String firstWord,
        int statements,
        int placeholders,
        boolean terminated,
        boolean returning,
        boolean doubtful,
        boolean savepoint) {

    /** Handlers run the same few texts again and again. Emptied when full: the ones in use are back at once. */
    private static final Map<String, SqlText> KNOWN = new ConcurrentHashMap<>();

    private static final Pattern ENDS_TRANSACTION =
            Pattern.compile("commit|rollback|abort|end|prepare", Pattern.CASE_INSENSITIVE);

    private static final Pattern SAVEPOINT = Pattern.compile("savepoint", Pattern.CASE_INSENSITIVE);

    private static final int MOST_KNOWN = 1_000;
    private static final int LONGEST_KNOWN = 4_096;

    /**
     * Finds a statement that would end, begin or change the transaction: BEGIN, START TRANSACTION, COMMIT, END, ABORT,
     * ROLLBACK, PREPARE TRANSACTION, SET TRANSACTION, SET SESSION CHARACTERISTICS, DISCARD and their variants. Savepoints
     * are fine: SAVEPOINT, RELEASE, ROLLBACK TO. Also one that would change the session for the messages that get its
     * connection next: SET without LOCAL, RESET; and SET LOCAL synchronous_commit.
     *
     * <p>The text is split into statements as PostgreSQL splits it. Functions with a body of {@code BEGIN ATOMIC … END} are
     * reported too: creating one is no business of a message, and the {@code END} of the body cannot be told from the
     * statement without the whole grammar.
     *
     * @return the statement's name, such as {@code COMMIT}
     */
    static Optional<String> transactionControl(String sql) {
        return Optional.ofNullable(of(sql).control());
    }

    /** Reads a text, or remembers what it read before. */
    static SqlText of(String sql) {
        SqlText known = KNOWN.get(sql);
        if (known != null) {
            return known;
        }
        SqlText read = asSent(read(sql));
        if (sql.length() <= LONGEST_KNOWN) {
            if (KNOWN.size() >= MOST_KNOWN) {
                KNOWN.clear();
            }
            KNOWN.put(sql, read);
        }
        return read;
    }

    /**
     * The driver replaces JDBC's escape syntax by its own lights, and what it leaves away can bring words together:
     * {@code {oj COMMIT}} is sent as {@code COMMIT}. So what it sends is looked at too.
     */
    private static SqlText asSent(SqlText written) {
        if (written.sent.indexOf('{') < 0) {
            return written;
        }
        try {
            String sent = Parser.replaceProcessing(written.sent, true, true);
            return sent.equals(written.sent) ? written : written.sentAs(read(sent));
        } catch (SQLException e) {
            // The driver cannot find the end of a quote, a comment or an escape, and will not send the text.
            return written.unterminated();
        }
    }

    private SqlText sentAs(SqlText other) {
        return new SqlText(
                other.sent,
                control == null ? other.control : control,
                other.firstWord,
                other.statements,
                other.placeholders,
                terminated && other.terminated,
                other.returning,
                doubtful || other.doubtful,
                savepoint || other.savepoint);
    }

    private SqlText unterminated() {
        return new SqlText(sent, control, firstWord, statements, placeholders, false, returning, doubtful, savepoint);
    }

    /** How many texts are remembered. */
    static int remembered() {
        return KNOWN.size();
    }

    private static SqlText read(String sql) {
        SqlLexer lexer = new SqlLexer(sql);
        LeadingWords leading = new LeadingWords();
        String control = null;
        String firstWord = null;
        int statements = 0;
        int placeholders = 0;
        boolean returning = false;
        Token token;
        do {
            token = lexer.next();
            if (token == Token.SEMICOLON || token == Token.END) {
                if (!leading.ofEmptyStatement()) {
                    statements++;
                    firstWord = firstWord == null ? leading.first() : firstWord;
                    control = control == null ? leading.transactionControl() : control;
                }
                leading = new LeadingWords();
            } else {
                String word = token == Token.WORD ? lowerCase(lexer.text()) : "";
                leading.add(token, word);
                placeholders += token == Token.PLACEHOLDER ? 1 : 0;
                returning |= word.equals("returning");
            }
        } while (token != Token.END);
        return new SqlText(
                sql,
                control == null ? null : control.toUpperCase(Locale.ROOT),
                firstWord == null ? "" : firstWord,
                statements,
                placeholders,
                !lexer.unterminated(),
                returning,
                ENDS_TRANSACTION.matcher(sql).find(),
                SAVEPOINT.matcher(sql).find());
    }

    /** As PostgreSQL compares key words: only ASCII letters have two cases. */
    private static String lowerCase(String word) {
        StringBuilder lower = new StringBuilder(word);
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                lower.setCharAt(i, (char) (c - 'A' + 'a'));
            }
        }
        return lower.toString();
    }
}
