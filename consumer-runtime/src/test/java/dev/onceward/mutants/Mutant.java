package dev.onceward.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One way to break the runtime, from a file of {@code src/mutants}.
 *
 * @param number the two digits that its file begins with
 * @param breaks what is broken, in words
 * @param caughtBy the tests that must fail then, as {@code Class#method}
 * @param edits what stands instead of what, by source file
 */
record Mutant(String number, String breaks, List<String> caughtBy, Map<String, List<Edit>> edits) {
    private static final String TESTS = "dev.onceward.guarantees.";

    /** All of them, in the order of their numbers. */
    static List<Mutant> readAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".mutant"))
                    .sorted()
                    .map(Mutant::read)
                    .toList();
        }
    }

    private static Mutant read(Path path) {
        String name = path.getFileName().toString();
        List<String> lines;
        try {
            lines = Files.readAllLines(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        StringBuilder breaks = new StringBuilder();
        List<String> caughtBy = new ArrayList<>();
        Map<String, List<Edit>> edits = new TreeMap<>();
        String file = "";
        StringBuilder old = new StringBuilder();
        StringBuilder replacement = new StringBuilder();
        StringBuilder current = breaks;
        for (String line : lines) {
            if (line.startsWith("Caught by: ")) {
                String test = line.substring("Caught by: ".length()).strip();
                caughtBy.add(test.contains(".") ? test : TESTS + test);
            } else if (line.startsWith("In: ")) {
                file = line.substring("In: ".length()).strip();
            } else if (line.equals("--- instead of")) {
                old = new StringBuilder();
                current = old;
            } else if (line.equals("--- stands")) {
                replacement = new StringBuilder();
                current = replacement;
            } else if (line.equals("--- end")) {
                edits.computeIfAbsent(file, f -> new ArrayList<>())
                        .add(new Edit(old.toString(), replacement.toString().stripTrailing()));
                current = new StringBuilder();
            } else {
                current.append(line).append('\n');
            }
        }
        if (breaks.toString().isBlank() || caughtBy.isEmpty() || edits.isEmpty()) {
            throw new IllegalArgumentException(name + ": says not what it breaks, what catches it, or what to change");
        }
        String words = breaks.toString().strip().replace('\n', ' ');
        return new Mutant(name.substring(0, 2), words, List.copyOf(caughtBy), edits);
    }

    /**
     * The broken sources, by file.
     *
     * @throws IllegalArgumentException a place to be changed is not there, or more than once
     */
    Map<String, String> apply(Path sources) throws IOException {
        Map<String, String> broken = new TreeMap<>();
        for (Map.Entry<String, List<Edit>> entry : edits.entrySet()) {
            String source = Files.readString(sources.resolve(entry.getKey()));
            for (Edit edit : entry.getValue()) {
                source = edit.apply(source, "mutant " + number + ", " + entry.getKey());
            }
            broken.put(entry.getKey(), source);
        }
        return broken;
    }

    /**
     * What stands instead of what. White space does not matter: a formatter may break lines in other places.
     *
     * @param old what must stand in the source exactly once
     * @param replacement what takes its place
     */
    record Edit(String old, String replacement) {
        private static final Pattern TOKEN = Pattern.compile("(\\w+)|(\\s+)|(.)", Pattern.DOTALL);

        String apply(String source, String where) {
            Matcher place = pattern().matcher(source);
            if (!place.find()) {
                throw new IllegalArgumentException(where + ": this is not there any more:\n" + old);
            }
            int from = place.start();
            int to = place.end();
            if (place.find()) {
                throw new IllegalArgumentException(where + ": this is there more than once:\n" + old);
            }
            return source.substring(0, from) + replacement + source.substring(to);
        }

        private Pattern pattern() {
            StringBuilder pattern = new StringBuilder();
            boolean wordBefore = false;
            boolean spaceBefore = false;
            for (Matcher token = TOKEN.matcher(old.strip()); token.find(); ) {
                if (token.group(2) != null) {
                    spaceBefore = true;
                    continue;
                }
                boolean word = token.group(1) != null;
                if (!pattern.isEmpty()) {
                    pattern.append(wordBefore && word && spaceBefore ? "\\s+" : "\\s*");
                }
                pattern.append(Pattern.quote(token.group()));
                wordBefore = word;
                spaceBefore = false;
            }
            return Pattern.compile(pattern.toString());
        }
    }
}
