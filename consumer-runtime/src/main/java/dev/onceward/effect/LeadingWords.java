package dev.onceward.effect;

import dev.onceward.effect.SqlLexer.Token;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The words that a statement begins with: enough of them to know transaction control and session settings. */
final class LeadingWords {

    /** SET LOCAL SESSION CHARACTERISTICS. */
    private static final int NEEDED = 4;

    private final List<String> words = new ArrayList<>(NEEDED);
    private boolean empty = true;
    private boolean ended;

    /** Takes the statement's next token; the word is in lower case. */
    void add(Token token, String word) {
        empty = false;
        if (!ended && token == Token.WORD && words.size() < NEEDED) {
            words.add(word);
        } else {
            ended = true;
        }
    }

    boolean ofEmptyStatement() {
        return empty;
    }

    String first() {
        return word(0);
    }

    /** The statement refused to handlers that begins so; {@code null}: none. */
    @Nullable
    String transactionControl() {
        return switch (first()) {
            case "begin", "commit", "end", "abort", "discard", "start", "reset" -> first();
            case "rollback" -> {
                boolean noise = word(1).equals("work") || word(1).equals("transaction");
                yield word(noise ? 2 : 1).equals("to") ? null : first();
            }
            case "prepare" -> word(1).equals("transaction") ? "prepare transaction" : null;
            case "set" -> {
                String ofTransaction = transactionSetting();
                yield ofTransaction != null ? ofTransaction : sessionSetting();
            }
            default -> null;
        };
    }

    private @Nullable String transactionSetting() {
        boolean scoped = word(1).equals("local") || word(1).equals("session");
        if (word(1).equals("transaction") || (scoped && word(2).equals("transaction"))) {
            return "set transaction";
        }
        boolean characteristics = (word(1).equals("session") && word(2).equals("characteristics"))
                || (scoped && word(2).equals("session") && word(3).equals("characteristics"));
        return characteristics ? "set session characteristics" : null;
    }

    /**
     * What would outlive the transaction on a connection that other messages get next: everything but SET LOCAL and SET
     * CONSTRAINTS. And the one setting that ends with the transaction and is no matter of the handler's.
     */
    private @Nullable String sessionSetting() {
        return switch (word(1)) {
            case "constraints" -> null;
            case "local" -> word(2).equals("synchronous_commit") ? "set local synchronous_commit" : null;
            default -> "set";
        };
    }

    private String word(int index) {
        return index < words.size() ? words.get(index) : "";
    }
}
