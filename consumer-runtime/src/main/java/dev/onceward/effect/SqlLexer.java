package dev.onceward.effect;

/**
 * Cuts an SQL text into tokens where PostgreSQL's lexer cuts it ({@code standard_conforming_strings} on). Only what is
 * needed to find where statements begin: constants, quoted identifiers and comments are passed over whole.
 */
final class SqlLexer {

    /** Kinds of tokens. */
    enum Token {
        /** A key word or an identifier without quotes. */
        WORD,
        SEMICOLON,
        /** The {@code ?} of JDBC. */
        PLACEHOLDER,
        /** A constant, a quoted identifier, an operator, a bracket. */
        OTHER,
        END
    }

    private final String sql;
    private int position;
    private int start;
    private boolean unterminated;

    SqlLexer(String sql) {
        this.sql = sql;
    }

    /** The next token; {@link Token#END} again and again at the end. */
    Token next() {
        skipBlank();
        start = position;
        if (position >= sql.length()) {
            return Token.END;
        }
        char c = sql.charAt(position);
        if (isWordStart(c)) {
            return wordOrPrefixedConstant(c);
        }
        position++;
        return switch (c) {
            case ';' -> Token.SEMICOLON;
            case '?' -> placeholderOrOperator();
            case '\'' -> quoted(false);
            case '"' -> identifier();
            case '$' -> dollar();
            default -> Token.OTHER;
        };
    }

    /** The text of the last token. */
    String text() {
        return sql.substring(start, position);
    }

    /** Whether the text ended inside a quote or a comment. */
    boolean unterminated() {
        return unterminated;
    }

    private Token wordOrPrefixedConstant(char first) {
        if (at(position + 1) == '\'' && "eEbBxXnN".indexOf(first) >= 0) {
            position += 2;
            return quoted(first == 'e' || first == 'E');
        }
        if ((first == 'u' || first == 'U') && at(position + 1) == '&') {
            if (at(position + 2) == '\'') {
                position += 3;
                return quoted(false);
            }
            if (at(position + 2) == '"') {
                position += 3;
                return identifier();
            }
        }
        while (position < sql.length() && isWordPart(sql.charAt(position))) {
            position++;
        }
        return Token.WORD;
    }

    /** The driver sends {@code ??} as the operator {@code ?}. */
    private Token placeholderOrOperator() {
        if (at(position) == '?') {
            position++;
            return Token.OTHER;
        }
        return Token.PLACEHOLDER;
    }

    /** A constant, from behind its opening quote. */
    private Token quoted(boolean backslashEscapes) {
        do {
            position = endOfQuoted(backslashEscapes);
            // 'a' <newline> 'b' is one constant, and stays of the kind it began as: E'a' <newline> 'b\'c'.
        } while (!unterminated && continues());
        return Token.OTHER;
    }

    private int endOfQuoted(boolean backslashEscapes) {
        int i = position;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            if (c == '\\' && backslashEscapes) {
                i += 2;
            } else if (c != '\'') {
                i++;
            } else if (at(i + 1) == '\'') {
                i += 2;
            } else {
                return i + 1;
            }
        }
        unterminated = true;
        return sql.length();
    }

    /** Whether another part of the constant follows after at least one newline; if so, moves behind its quote. */
    private boolean continues() {
        boolean newline = false;
        int i = position;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            if (c == '\'' && newline) {
                position = i + 1;
                return true;
            } else if (c == '-' && at(i + 1) == '-') {
                i = endOfLine(i);
            } else if (isSpace(c)) {
                newline |= c == '\n' || c == '\r';
                i++;
            } else {
                return false;
            }
        }
        return false;
    }

    /** A doubled quote reads as an end and a new beginning, which comes to the same. */
    private Token identifier() {
        skipTo("\"");
        return Token.OTHER;
    }

    /** A dollar quote, a parameter or a lone dollar, from behind its first character. */
    private Token dollar() {
        int i = position;
        if (isDigit(at(i))) {
            while (isDigit(at(i))) {
                i++;
            }
            position = i;
            return Token.OTHER;
        }
        if (isWordStart(at(i))) {
            while (isWordPart(at(i)) && at(i) != '$') {
                i++;
            }
        }
        // Not a quote: what stands behind the dollar is then a token of its own.
        if (at(i) == '$') {
            String delimiter = sql.substring(start, i + 1);
            position = i + 1;
            skipTo(delimiter);
        }
        return Token.OTHER;
    }

    private void skipBlank() {
        while (position < sql.length()) {
            char c = sql.charAt(position);
            if (isSpace(c)) {
                position++;
            } else if (c == '-' && at(position + 1) == '-') {
                position = endOfLine(position);
            } else if (c == '/' && at(position + 1) == '*') {
                skipBlockComment();
            } else {
                return;
            }
        }
    }

    private int endOfLine(int from) {
        int i = from;
        while (i < sql.length() && sql.charAt(i) != '\n' && sql.charAt(i) != '\r') {
            i++;
        }
        return i;
    }

    /** PostgreSQL's block comments nest. */
    private void skipBlockComment() {
        int depth = 0;
        do {
            if (at(position) == '/' && at(position + 1) == '*') {
                depth++;
                position += 2;
            } else if (at(position) == '*' && at(position + 1) == '/') {
                depth--;
                position += 2;
            } else {
                position++;
            }
        } while (depth > 0 && position < sql.length());
        unterminated |= depth > 0;
    }

    private void skipTo(String end) {
        int found = sql.indexOf(end, position);
        unterminated |= found < 0;
        position = found < 0 ? sql.length() : found + end.length();
    }

    /** The character there, or NUL behind the end. */
    private char at(int index) {
        return index < sql.length() ? sql.charAt(index) : '\0';
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** To PostgreSQL every character beyond ASCII is a letter, a no-break space too. */
    private static boolean isWordStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || isDigit(c) || c == '$';
    }
}
