package dev.onceward.effect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SqlTextTest {

    @ParameterizedTest
    @MethodSource
    void findsTransactionControl(String sql, String expected) {
        assertThat(SqlText.transactionControl(sql)).contains(expected);
    }

    static Stream<Arguments> findsTransactionControl() {
        return Stream.of(
                Arguments.of("COMMIT", "COMMIT"),
                Arguments.of("commit", "COMMIT"),
                Arguments.of("CoMmIt;", "COMMIT"),
                Arguments.of("COMMIT WORK", "COMMIT"),
                Arguments.of("COMMIT AND CHAIN", "COMMIT"),
                Arguments.of("COMMIT PREPARED 'x'", "COMMIT"),
                Arguments.of("END", "END"),
                Arguments.of("END TRANSACTION", "END"),
                Arguments.of("ABORT", "ABORT"),
                Arguments.of("BEGIN", "BEGIN"),
                Arguments.of("BEGIN ISOLATION LEVEL SERIALIZABLE", "BEGIN"),
                Arguments.of("START TRANSACTION", "START"),
                Arguments.of("ROLLBACK", "ROLLBACK"),
                Arguments.of("ROLLBACK WORK", "ROLLBACK"),
                Arguments.of("ROLLBACK TRANSACTION", "ROLLBACK"),
                Arguments.of("ROLLBACK AND CHAIN", "ROLLBACK"),
                Arguments.of("ROLLBACK PREPARED 'x'", "ROLLBACK"),
                Arguments.of("PREPARE TRANSACTION 'x'", "PREPARE TRANSACTION"),
                Arguments.of("SET TRANSACTION READ ONLY", "SET TRANSACTION"),
                Arguments.of("SET LOCAL TRANSACTION READ ONLY", "SET TRANSACTION"),
                Arguments.of("SET SESSION TRANSACTION READ ONLY", "SET TRANSACTION"),
                Arguments.of("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET SESSION CHARACTERISTICS"),
                Arguments.of(
                        "SET LOCAL SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET SESSION CHARACTERISTICS"),
                Arguments.of("DISCARD ALL", "DISCARD"),
                Arguments.of("DISCARD PLANS", "DISCARD"),
                // what would outlive the transaction
                Arguments.of("SET search_path TO transaction", "SET"),
                Arguments.of("SET synchronous_commit = off", "SET"),
                Arguments.of("SET \"search_path\" TO a", "SET"),
                Arguments.of("SET SESSION statement_timeout = 10", "SET"),
                Arguments.of("SET ROLE other", "SET"),
                Arguments.of("SET SESSION AUTHORIZATION DEFAULT", "SET"),
                Arguments.of("SET TIME ZONE 'UTC'", "SET"),
                Arguments.of("SELECT 1; set default_transaction_isolation = 'serializable'", "SET"),
                Arguments.of("RESET ALL", "RESET"),
                Arguments.of("RESET ROLE", "RESET"),
                Arguments.of("SET LOCAL synchronous_commit = off", "SET LOCAL SYNCHRONOUS_COMMIT"),
                // among other statements
                Arguments.of("SELECT 1; COMMIT", "COMMIT"),
                Arguments.of("SELECT 1;COMMIT;SELECT 2", "COMMIT"),
                Arguments.of(";;; \n ; COMMIT", "COMMIT"),
                Arguments.of("SELECT 1; ROLLBACK; COMMIT", "ROLLBACK"),
                Arguments.of("SAVEPOINT a; ROLLBACK TO a; COMMIT", "COMMIT"),
                // behind blanks and comments
                Arguments.of(" \t\r\n\f\u000bCOMMIT", "COMMIT"),
                Arguments.of("-- a comment\nCOMMIT", "COMMIT"),
                Arguments.of("-- a comment\rCOMMIT", "COMMIT"),
                Arguments.of("--\nCOMMIT", "COMMIT"),
                Arguments.of("/* a /* nested */ comment */COMMIT", "COMMIT"),
                Arguments.of("/**/COMMIT/**/", "COMMIT"),
                Arguments.of("/*/ still a comment */ COMMIT", "COMMIT"),
                Arguments.of("/***/COMMIT", "COMMIT"),
                Arguments.of("COMMIT--", "COMMIT"),
                Arguments.of("ROLLBACK/* TO a */", "ROLLBACK"),
                Arguments.of("ROLLBACK -- TO a\n", "ROLLBACK"),
                Arguments.of("SET/**/TRANSACTION READ ONLY", "SET TRANSACTION"),
                Arguments.of("SELECT 1 -- ;\n; COMMIT", "COMMIT"),
                // behind constants
                Arguments.of("SELECT ''; COMMIT", "COMMIT"),
                Arguments.of("SELECT ''''; COMMIT", "COMMIT"),
                Arguments.of("SELECT '\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT 'E'; COMMIT", "COMMIT"),
                Arguments.of("SELECT E'\\''; COMMIT", "COMMIT"),
                Arguments.of("SELECT E'\\\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT e'\\\\''\\''; COMMIT", "COMMIT"),
                Arguments.of("SELECT 1 AS fooE'\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT E'a'\n'\\''; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT E'a' -- c\n  'b\\''; COMMIT; --'", "COMMIT"),
                Arguments.of("SELECT E'a' '\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT U&'\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT B'1'; COMMIT", "COMMIT"),
                Arguments.of("SELECT X'1F'; COMMIT", "COMMIT"),
                Arguments.of("SELECT N'\\'; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT 1 AS \"a\"\"b\"; COMMIT", "COMMIT"),
                Arguments.of("SELECT 1 AS \"'\"; COMMIT --'", "COMMIT"),
                Arguments.of("SELECT 1 AS U&\"\\\"; COMMIT", "COMMIT"),
                Arguments.of("SELECT $$a$$; COMMIT", "COMMIT"),
                Arguments.of("SELECT $a$ $b$ $a$; COMMIT", "COMMIT"),
                Arguments.of("SELECT $a$ $b$a$; COMMIT; --$a$", "COMMIT"),
                Arguments.of("SELECT $_1$ x $_1$; COMMIT", "COMMIT"),
                Arguments.of("SELECT $\u00e4$ x $\u00e4$; COMMIT", "COMMIT"),
                Arguments.of("SELECT 1 AS a$b$; COMMIT; --$b$", "COMMIT"),
                Arguments.of("SELECT $1; COMMIT; SELECT $1", "COMMIT"),
                Arguments.of("SELECT 1 $ 2; COMMIT; $", "COMMIT"),
                Arguments.of("SELECT $1a$; COMMIT; $1a$", "COMMIT"),
                // JDBC's own syntax
                Arguments.of("SELECT ? ; COMMIT", "COMMIT"),
                Arguments.of("SELECT a ?? 'b'; COMMIT", "COMMIT"),
                Arguments.of("{oj COMMIT}", "COMMIT"),
                Arguments.of("{OJ commit}", "COMMIT"),
                Arguments.of("com{oj mit}", "COMMIT"),
                Arguments.of("SELECT 1; {oj COMMIT", "COMMIT"),
                Arguments.of("{oj SELECT $a$ x $}a$; COMMIT; SELECT $a$ y $a$", "COMMIT"),
                Arguments.of("SELECT {d '2024-01-01'}; COMMIT", "COMMIT"),
                // Refused although PostgreSQL would not end the transaction: see SqlText.
                Arguments.of("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END", "END"));
    }

    @ParameterizedTest
    @MethodSource
    void letsEverythingElseThrough(String sql) {
        assertThat(SqlText.transactionControl(sql)).isEmpty();
    }

    static Stream<String> letsEverythingElseThrough() {
        return Stream.of(
                "",
                "  ; ;",
                "-- COMMIT",
                "/* ; COMMIT ; */",
                "/* /* */ ; COMMIT */ SELECT 1",
                "/*/ ; COMMIT; */ SELECT 1",
                "SELECT 1 -- ; COMMIT",
                "SELECT 1 --; COMMIT\r; SELECT 2",
                "SELECT '; COMMIT;'",
                "SELECT ' '' ; COMMIT; '' '",
                "SELECT '\n; COMMIT\n'",
                "SELECT 'a'\n'; COMMIT'",
                "SELECT E'\\'; COMMIT; \\''",
                "SELECT E'a'\n'\\'; COMMIT; '",
                "SELECT E'a' -- '\n '\\'; COMMIT; '",
                "SELECT U&'; COMMIT' UESCAPE '!'",
                "SELECT 1 AS \"; COMMIT; \"",
                "SELECT 1 AS \"a\"\"; COMMIT; \"",
                "SELECT 1 AS U&\"; COMMIT\"",
                "SELECT $$; COMMIT; $$",
                "SELECT $a$; COMMIT; $$; COMMIT; $b$; COMMIT; $a$",
                "SELECT $a$ $a; COMMIT; $a$",
                "SELECT $1$a$; COMMIT; $a$",
                "DO $do$ BEGIN PERFORM 1; END; $do$",
                "SAVEPOINT commit",
                "RELEASE SAVEPOINT a",
                "ROLLBACK TO a",
                "ROLLBACK TO SAVEPOINT a",
                "ROLLBACK WORK TO SAVEPOINT a",
                "ROLLBACK TRANSACTION TO a",
                "rollback /* */ to a",
                "PREPARE commit AS SELECT 1",
                "PREPARE p AS UPDATE transaction SET a = 1",
                "SET LOCAL statement_timeout = 10",
                "SET LOCAL search_path TO transaction",
                "SET LOCAL ROLE other",
                "SET CONSTRAINTS ALL DEFERRED",
                "UPDATE t SET search_path = 1",
                "SELECT commit FROM \"end\"",
                "INSERT INTO t (\"commit\") VALUES (1)",
                "UPDATE t SET begin = 1 WHERE end = 2",
                "committed",
                "_commit",
                "commit_1",
                "commit$",
                "\"commit\"",
                "\u00a0COMMIT",
                "(COMMIT)",
                "SELECT CASE WHEN a THEN 1 ELSE 2 END FROM t",
                "{call commit()}",
                "{? = call commit(?)}",
                "SELECT {fn now()}",
                "{fn COMMIT}",
                "SELECT '{\"a\": 1}'::jsonb",
                "SELECT '{oj COMMIT}'",
                "SELECT 1 -- {oj ; COMMIT",
                "WITH commit AS (SELECT 1) SELECT * FROM commit");
    }

    @Test
    void countsStatements() {
        assertThat(SqlText.of("SELECT 1").statements()).isEqualTo(1);
        assertThat(SqlText.of("SELECT 1;").statements()).isEqualTo(1);
        assertThat(SqlText.of("; /* */ ;SELECT ';' ; -- ;\n;").statements()).isEqualTo(1);
        assertThat(SqlText.of("SELECT 1; SELECT 2").statements()).isEqualTo(2);
        assertThat(SqlText.of("; -- nothing").statements()).isZero();
    }

    @Test
    void countsPlaceholders() {
        assertThat(SqlText.of("SELECT ?, '?', \"?\", $$?$$, E'\\'?' -- ?\n /* ? */ , ?")
                        .placeholders())
                .isEqualTo(2);
        assertThat(SqlText.of("SELECT a ?? 'b', c ??| d, ???").placeholders()).isEqualTo(1);
        assertThat(SqlText.of("{? = call f(?)}").placeholders()).isEqualTo(2);
    }

    @Test
    void seesWhetherEveryQuoteAndCommentEnds() {
        assertThat(List.of(
                        "SELECT 'a", "SELECT E'a\\'", "SELECT \"a", "SELECT $a$ $b$", "/* /* */", "SELECT ''''''''' "))
                .allSatisfy(
                        sql -> assertThat(SqlText.of(sql).terminated()).as(sql).isFalse());
        assertThat(List.of("SELECT 'a'", "SELECT E'a\\\\'", "SELECT \"a\"", "SELECT $a$ $a$", "/**/", "-- a"))
                .allSatisfy(
                        sql -> assertThat(SqlText.of(sql).terminated()).as(sql).isTrue());
    }

    @Test
    void knowsWhatTheDriverSends() {
        assertThat(SqlText.of("SELECT '{oj a}', {fn concat(?, 'b')}, {d '2024-01-01'}")
                        .sent())
                .isEqualTo("SELECT '{oj a}', (?|| 'b'), DATE '2024-01-01'");
        assertThat(SqlText.of("SELECT {fn concat('a', 'b")).returns(false, SqlText::terminated);
    }

    @Test
    void doubtsWhereAWordThatEndsTransactionsStandsAnywhere() {
        assertThat(List.of("SELECT 'the end'", "SELECT committed", "SELECT 1 -- Rollback", "SELECT 1 AS com{oj mit}"))
                .allSatisfy(
                        sql -> assertThat(SqlText.of(sql).doubtful()).as(sql).isTrue());
        assertThat(SqlText.of("INSERT INTO t VALUES ('{}')").doubtful()).isFalse();
    }

    @Test
    void knowsTheFirstWordAndReturning() {
        assertThat(SqlText.of("/* x */ InSert INTO t VALUES (1) Returning a"))
                .returns("insert", SqlText::firstWord)
                .returns(true, SqlText::returning);
        assertThat(SqlText.of("(SELECT 'returning')"))
                .returns("", SqlText::firstWord)
                .returns(false, SqlText::returning);
        assertThat(SqlText.of("; SELECT 1; INSERT INTO t VALUES (1)").firstWord())
                .isEqualTo("select");
    }

    /** Every end and every beginning of a text is a text of its own: none may break the lexer. */
    @Test
    void readsEveryPartOfEveryText() {
        Stream.concat(findsTransactionControl().map(a -> (String) a.get()[0]), letsEverythingElseThrough())
                .flatMap(sql -> IntStream.rangeClosed(0, sql.length())
                        .boxed()
                        .flatMap(i -> Stream.of(sql.substring(0, i), sql.substring(i))))
                .forEach(sql -> assertThat(SqlText.of(sql)).isNotNull());
    }

    /** What is hidden in constants and comments stays hidden, what stands outside is found, however they are combined. */
    @Test
    void tellsCodeFromConstantsAndCommentsInEveryCombination() {
        for (long seed = 0; seed < 20_000; seed++) {
            HostileSql random = new HostileSql(new SplittableRandom(seed));
            boolean control = random.withTransactionControl();
            String sql = random.text();

            assertThat(SqlText.transactionControl(sql).isPresent())
                    .as("seed %d: %s", seed, sql)
                    .isEqualTo(control);
            // Where there may be escapes the driver reads quotes in its own way, and cannot read all of PostgreSQL's.
            if (!sql.contains("{")) {
                assertThat(SqlText.of(sql).terminated())
                        .as("seed %d: %s", seed, sql)
                        .isTrue();
            }
        }
    }

    @Test
    void remembersWithoutGrowingForEver() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(SqlText.transactionControl("SELECT " + i + "; COMMIT")).contains("COMMIT");
        }
        assertThat(SqlText.remembered()).isLessThanOrEqualTo(1_000);
        assertThat(SqlText.of("SELECT 1 /* remembered */")).isSameAs(SqlText.of("SELECT 1 /* remembered */"));
    }
}
