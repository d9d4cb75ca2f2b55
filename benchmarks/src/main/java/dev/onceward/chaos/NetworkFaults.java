package dev.onceward.chaos;

import dev.onceward.testsupport.proxy.Direction;
import dev.onceward.testsupport.proxy.PostgresProxy;
import dev.onceward.testsupport.proxy.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What befalls the ways to PostgreSQL, one for each worker, and to Kafka, one for each broker. */
final class NetworkFaults {
    /** By then a worker that works at all has committed something. */
    private static final int COMMIT_SECONDS = 20;

    private NetworkFaults() {}

    static void cutPostgres(World world, Random random) throws InterruptedException {
        cut(postgres(world, random).network(), random);
    }

    static void delayPostgres(World world, Random random) throws InterruptedException {
        delay(postgres(world, random).network(), random);
    }

    static void silencePostgres(World world, Random random) throws InterruptedException {
        drop(postgres(world, random).network(), List.of(Direction.values()), random);
    }

    static void loseAnswersOfPostgres(World world, Random random) throws InterruptedException {
        drop(postgres(world, random).network(), List.of(Direction.TO_CLIENT), random);
    }

    static void loseCommitAnswer(World world, Random random)
            throws InterruptedException, ExecutionException, MissedException {
        strike(postgres(world, random).loseNextCommitAnswer());
    }

    static void loseCommit(World world, Random random)
            throws InterruptedException, ExecutionException, MissedException {
        strike(postgres(world, random).cutBeforeNextCommit());
    }

    static void cutKafka(World world, Random random) throws InterruptedException {
        cut(kafka(world, random), random);
    }

    static void delayKafka(World world, Random random) throws InterruptedException {
        delay(kafka(world, random), random);
    }

    static void silenceKafka(World world, Random random) throws InterruptedException {
        drop(kafka(world, random), List.of(Direction.values()), random);
    }

    static void loseAnswersOfKafka(World world, Random random) throws InterruptedException {
        drop(kafka(world, random), List.of(Direction.TO_CLIENT), random);
    }

    private static void strike(CompletableFuture<Integer> moment)
            throws InterruptedException, ExecutionException, MissedException {
        try {
            moment.get(COMMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            moment.cancel(false);
            throw new MissedException("no COMMIT");
        }
    }

    /** Several times in a row, as a broken switch does. */
    private static void cut(TcpProxy way, Random random) throws InterruptedException {
        int times = 1 + random.nextInt(4);
        for (int time = 0; time < times; time++) {
            way.cutAll();
            Pause.between(50, 700, random);
        }
    }

    private static void delay(TcpProxy way, Random random) throws InterruptedException {
        for (Direction direction : Direction.values()) {
            way.delay(direction, Duration.ofMillis(5 + random.nextInt(150)));
        }
        try {
            Pause.between(2_000, 8_000, random);
        } finally {
            way.reset();
        }
    }

    private static void drop(TcpProxy way, List<Direction> directions, Random random) throws InterruptedException {
        directions.forEach(way::drop);
        try {
            Pause.between(1_000, 12_000, random);
        } finally {
            way.reset();
        }
    }

    private static PostgresProxy postgres(World world, Random random) {
        List<PostgresProxy> ways = world.fleet().waysToPostgres();
        return ways.get(random.nextInt(ways.size()));
    }

    private static TcpProxy kafka(World world, Random random) {
        List<TcpProxy> ways = world.servers().waysToKafka();
        return ways.get(random.nextInt(ways.size()));
    }
}
