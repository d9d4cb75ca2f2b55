package dev.onceward.mutants;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Breaks the runtime in one way after the other and has the tests run that must notice; the unchanged build first. Exit
 * code 0 if every broken one was caught and the unchanged one passed, 1 if not, 2 for an option that is not known.
 */
final class MutantsMain {
    private static final String USAGE = """
            ./mutants [--only NN[,NN...]] [--list]

            Breaks the runtime on purpose, in one way after the other, and shows that a test of a guarantee notices each.
            The tests ask the database and the topics. First they all run against the unchanged build, which must pass.

              --only 04,11   these ones, and the unchanged build against the tests that must notice them
              --list         what is broken, and by which tests it must be noticed
              --help         this

            Exit code: 0 all caught and the unchanged build passes, 1 not so, 2 an unknown option, 3 it could not be built.
            """;

    private MutantsMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        // Where the module is: the script says it, the options follow.
        Path module = Path.of(args[0]);
        List<Mutant> mutants = new ArrayList<>(Mutant.readAll(module.resolve("src/mutants")));
        boolean list = false;
        for (int i = 1; i < args.length; i++) {
            switch (args[i]) {
                case "--list" -> list = true;
                case "--help", "-h" -> {
                    System.out.print(USAGE);
                    System.exit(0);
                }
                case "--only" -> {
                    Set<String> only = i + 1 < args.length ? Set.of(args[++i].split(",")) : Set.of();
                    mutants.removeIf(mutant -> !only.contains(mutant.number()));
                    if (only.isEmpty() || mutants.size() != only.size()) {
                        wrong("--only needs numbers that ./mutants --list shows, such as 04,11");
                    }
                }
                default -> wrong("unknown option " + args[i]);
            }
        }
        if (list) {
            mutants.forEach(MutantsMain::show);
            System.exit(0);
        }
        System.exit(run(module, mutants) ? 0 : 1);
    }

    private static boolean run(Path module, List<Mutant> mutants) throws IOException, InterruptedException {
        try (Workshop workshop = new Workshop(module)) {
            String[] tests = mutants.stream()
                    .flatMap(mutant -> mutant.caughtBy().stream())
                    .distinct()
                    .toArray(String[]::new);
            System.out.printf("   the unchanged build: %d tests%n", tests.length);
            Workshop.Result unchanged = workshop.unchanged(Arrays.asList(tests));
            System.out.printf("   %s (%d s)%n", unchanged.text(), unchanged.seconds());
            int caught = 0;
            for (Mutant mutant : mutants) {
                System.out.printf("%s %s%n", mutant.number(), mutant.breaks());
                Workshop.Result result = workshop.broken(mutant);
                System.out.printf("   %s (%d s)%n", result.text(), result.seconds());
                caught += result.verdict() == Workshop.Verdict.CAUGHT ? 1 : 0;
            }
            boolean green = unchanged.verdict() == Workshop.Verdict.PASSED;
            System.out.printf(
                    "mutants: %d caught of %d; the unchanged build is %s%n",
                    caught, mutants.size(), green ? "green" : "not green");
            return green && caught == mutants.size();
        }
    }

    private static void show(Mutant mutant) {
        System.out.printf("%s %s%n", mutant.number(), mutant.breaks());
        mutant.caughtBy().forEach(test -> System.out.println("   caught by " + shortName(test)));
    }

    static String shortName(String test) {
        return test.replaceFirst("^.*\\.", "");
    }

    private static void wrong(String what) {
        System.err.println(what + "; see ./mutants --help");
        System.exit(2);
    }
}
