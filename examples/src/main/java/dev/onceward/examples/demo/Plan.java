package dev.onceward.examples.demo;

import static java.util.stream.Collectors.toCollection;

import dev.onceward.examples.demo.PlannedMessage.Kind;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Which messages are sent in which order, and what is broken when: the same for the same scenario, and nothing else. */
final class Plan {

    /** Accounts of each partition. */
    static final int ACCOUNTS_PER_PARTITION = 100;

    /** Amounts above this the handler refuses. */
    static final BigDecimal LIMIT = new BigDecimal("1000000.00");

    /** Faults are planned between these parts of the run, so that each strikes well between 10% and 90%. */
    private static final double FIRST_FAULT = 0.12;

    private static final double LAST_FAULT = 0.84;

    private final int partitions;
    private final List<PlannedMessage> messages;
    private final int[] records;
    private final List<PlannedFault> faults;

    private Plan(int partitions, List<PlannedMessage> messages, int[] records, List<PlannedFault> faults) {
        this.partitions = partitions;
        this.messages = messages;
        this.records = records;
        this.faults = faults;
    }

    static Plan of(Scenario scenario) {
        Random random = new Random(scenario.seed());
        List<PlannedMessage> messages = messages(scenario, random);
        return new Plan(scenario.partitions(), messages, records(scenario, messages, random), faults(scenario, random));
    }

    int partitions() {
        return partitions;
    }

    int accounts() {
        return partitions * ACCOUNTS_PER_PARTITION;
    }

    /** Unique messages. */
    int messages() {
        return messages.size();
    }

    int uniqueGood() {
        return (int) messages.stream().filter(message -> !message.bad()).count();
    }

    /** Records to send: messages and second copies. */
    int records() {
        return records.length;
    }

    PlannedMessage message(int index) {
        return messages.get(index);
    }

    /** The message of a record, by the record's position in the order of sending. */
    PlannedMessage record(int position) {
        return messages.get(records[position]);
    }

    int partition(PlannedMessage message) {
        return message.key() % partitions;
    }

    List<PlannedFault> faults() {
        return faults;
    }

    /** In turn for each partition, so that the load is even; within it for any account. */
    private static List<PlannedMessage> messages(Scenario scenario, Random random) {
        int partitions = scenario.partitions();
        Kind[] kinds = kinds(scenario, random);
        int[] sequences = new int[partitions * ACCOUNTS_PER_PARTITION];
        List<PlannedMessage> messages = new ArrayList<>(scenario.messages());
        for (int index = 0; index < scenario.messages(); index++) {
            int key = index % partitions + partitions * random.nextInt(ACCOUNTS_PER_PARTITION);
            sequences[key]++;
            messages.add(new PlannedMessage(index, kinds[index], key, sequences[key], amount(kinds[index], random)));
        }
        return List.copyOf(messages);
    }

    private static Kind[] kinds(Scenario scenario, Random random) {
        Kind[] kinds = new Kind[scenario.messages()];
        Arrays.fill(kinds, Kind.GOOD);
        List<Integer> bad = distinct(scenario.messages(), Scenario.UNPROCESSABLE + Scenario.UNDECODABLE, random);
        for (int i = 0; i < bad.size(); i++) {
            // One in four of the unprocessable is refused for good, the others are tried until their attempts are used
            // up.
            kinds[bad.get(i)] =
                    i < Scenario.UNDECODABLE ? Kind.UNDECODABLE : i % 4 == 0 ? Kind.OVER_LIMIT : Kind.UNKNOWN_ACCOUNT;
        }
        return kinds;
    }

    private static BigDecimal amount(Kind kind, Random random) {
        BigDecimal amount = BigDecimal.valueOf(random.nextInt(100_000) - 49_999L, 2);
        return kind == Kind.OVER_LIMIT ? amount.abs().add(LIMIT).add(BigDecimal.ONE) : amount;
    }

    /** Second copies follow their first ones by a little or by a lot. */
    private static int[] records(Scenario scenario, List<PlannedMessage> messages, Random random) {
        record Copy(int message, double position) {}
        List<Copy> copies = IntStream.range(0, messages.size())
                .mapToObj(index -> new Copy(index, index))
                .collect(toCollection(ArrayList::new));
        for (int index : sentTwice(scenario, messages, random)) {
            double gap = random.nextBoolean() ? 1 + random.nextInt(20) : random.nextDouble() * messages.size() / 4;
            copies.add(new Copy(index, Math.min(index + gap, messages.size()) + 0.5));
        }
        copies.sort(Comparator.comparingDouble(Copy::position));
        return copies.stream().mapToInt(Copy::message).toArray();
    }

    /** Some of the bad are always among them. */
    private static Set<Integer> sentTwice(Scenario scenario, List<PlannedMessage> messages, Random random) {
        Set<Integer> twice = new LinkedHashSet<>();
        for (Kind kind : List.of(Kind.UNDECODABLE, Kind.UNKNOWN_ACCOUNT, Kind.OVER_LIMIT)) {
            messages.stream()
                    .filter(message -> message.kind() == kind)
                    .findFirst()
                    .ifPresent(message -> twice.add(message.index()));
        }
        while (twice.size() < scenario.duplicates()) {
            twice.add(random.nextInt(messages.size()));
        }
        return twice;
    }

    private static List<PlannedFault> faults(Scenario scenario, Random random) {
        List<PlannedFault.Kind> kinds = new ArrayList<>();
        kinds.addAll(Collections.nCopies(scenario.kills(), PlannedFault.Kind.KILL));
        kinds.addAll(Collections.nCopies(scenario.pauses(), PlannedFault.Kind.PAUSE));
        kinds.addAll(Collections.nCopies(scenario.dbRestarts(), PlannedFault.Kind.DB_RESTART));
        Collections.shuffle(kinds, random);
        double step = (LAST_FAULT - FIRST_FAULT) / Math.max(1, kinds.size());
        return IntStream.range(0, kinds.size())
                .mapToObj(i -> new PlannedFault(
                        kinds.get(i),
                        FIRST_FAULT + step * (i + random.nextDouble() / 3),
                        random.nextInt(Integer.MAX_VALUE)))
                .toList();
    }

    private static List<Integer> distinct(int bound, int count, Random random) {
        Set<Integer> chosen = new LinkedHashSet<>();
        while (chosen.size() < count) {
            chosen.add(random.nextInt(bound));
        }
        return List.copyOf(chosen);
    }
}
