package dev.onceward.effect;

import java.util.List;
import java.util.SplittableRandom;

/** Valid SQL texts full of what looks like transaction control, and now and then is. */
final class HostileSql {
    private static final List<String> BAITS = List.of(
            "; COMMIT; ",
            ";COMMIT",
            "COMMIT",
            "--",
            "/*",
            "*/",
            "$",
            "$$",
            "$a$",
            "$tag$",
            "\"",
            "E",
            "\\",
            "\n",
            "?",
            "{",
            "}",
            "{oj ",
            ";",
            " ",
            "''",
            "'",
            "\u00e4",
            "BEGIN ",
            "END;",
            "ROLLBACK",
            "U&",
            "\r",
            "\t");
    private static final List<String> CONTROL =
            List.of("COMMIT", "commit work", "ROLLBACK", "END", "abort", "Rollback/**/work");

    private final SplittableRandom random;
    private final boolean control;

    HostileSql(SplittableRandom random) {
        this.random = random;
        this.control = random.nextInt(3) == 0;
    }

    /** Whether a statement of the text ends the transaction. */
    boolean withTransactionControl() {
        return control;
    }

    String text() {
        int statements = random.nextInt(1, 4);
        int controlAt = control ? random.nextInt(statements) : -1;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < statements; i++) {
            text.append(blanks()).append(i == controlAt ? pick(CONTROL) : select());
            text.append(blanks()).append(i < statements - 1 ? ";" : "");
        }
        return text.toString();
    }

    private String select() {
        StringBuilder sql = new StringBuilder("SELECT").append(blank());
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            sql.append(value()).append(blanks());
            if (random.nextInt(4) == 0) {
                sql.append(blank())
                        .append("AS")
                        .append(blank())
                        .append(identifier())
                        .append(blanks());
            }
            sql.append(i > 1 ? "," + blanks() : "");
        }
        return sql.toString();
    }

    private String value() {
        return switch (random.nextInt(9)) {
            case 0 -> "'" + plain() + "'" + continuation("'" + plain() + "'");
            case 1 -> "E'" + escaped() + "'" + continuation("'" + escaped() + "'");
            case 2 -> dollarQuoted();
            case 3 -> "U&'" + plain().replace("\\", "\\\\") + "'";
            case 4 -> "n'" + plain() + "'";
            case 5 -> "B'0101'";
            case 6 -> "x'1F'";
            case 7 -> "1 + 2 - -3";
            default -> "'a'::text ||" + blanks() + "'" + plain() + "'";
        };
    }

    private String identifier() {
        return switch (random.nextInt(4)) {
            case 0 -> "commit_" + random.nextInt(10);
            case 1 -> "a$b$" + random.nextInt(10);
            case 2 -> "_\u00e4";
            default -> "\"q" + baits().replace("\"", "\"\"") + "\"";
        };
    }

    private String continuation(String constant) {
        return switch (random.nextInt(4)) {
            case 0 -> " \n" + constant;
            case 1 -> "\t-- '" + baits().replace("\n", "").replace("\r", "") + "\n " + constant;
            default -> "";
        };
    }

    private String dollarQuoted() {
        String tag = pick(List.of("$$", "$a$", "$_x1$", "$tag$", "$\u00e4$"));
        String body = baits();
        // The body's end may make a delimiter together with the closing one.
        return body.contains(tag) || (body + tag).indexOf(tag) < body.length() ? tag + tag : tag + body + tag;
    }

    private String plain() {
        return baits().replace("'", "''");
    }

    private String escaped() {
        StringBuilder escaped = new StringBuilder();
        for (char c : baits().toCharArray()) {
            if (c == '\\') {
                escaped.append("\\\\");
            } else if (c == '\'') {
                escaped.append(random.nextBoolean() ? "\\'" : "''");
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private String baits() {
        StringBuilder baits = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            baits.append(pick(BAITS));
        }
        return baits.toString();
    }

    /** At least one. */
    private String blank() {
        return pick(List.of(" ", "\n", "\t", "\f", "\r", "/**/", "-- " + line() + "\n", "/* " + comment() + " */"))
                + blanks();
    }

    private String blanks() {
        return random.nextInt(3) == 0 ? blank() : "";
    }

    private String line() {
        return baits().replace("\n", "").replace("\r", "");
    }

    private String comment() {
        String inner = baits().replace("/", "").replace("*", "");
        return random.nextInt(3) == 0 ? inner + "/*" + inner + "*/" + inner : inner;
    }

    private String pick(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
