package dev.onceward.testsupport;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** What the tests start in processes of their own. */
final class Programs {

    private Programs() {}

    static final class Echo {
        public static void main(String[] arguments) {
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            for (String argument : arguments) {
                out.println(argument);
            }
            out.println(System.getProperty("greeting"));
            out.println(System.getenv("ONCEWARD_TEST"));
            System.err.println("an error");
            System.exit(3);
        }
    }

    static final class Ticker {
        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            for (int tick = 0; ; tick++) {
                System.out.println("tick " + tick);
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    static final class ParentOfFrozen {
        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch ticks = new CountDownLatch(1);
            ProcessControl frozen = ProcessControl.java(Ticker.class)
                    .onOutput(line -> ticks.countDown())
                    .start();
            ProcessControl ticking =
                    ProcessControl.java(Ticker.class).onOutput(line -> {}).start();
            ticks.await();
            frozen.freeze();
            System.out.println(frozen.pid());
            System.out.println(ticking.pid());
            new CountDownLatch(1).await();
        }
    }

    /** Prints the pids of its servers and leaves them alone. */
    static final class ParentOfServers {
        public static void main(String[] arguments) throws InterruptedException {
            CompletableFuture<ChildKafka> kafka = CompletableFuture.supplyAsync(ChildKafka::start);
            CompletableFuture<InProcessKafka> inProcess = CompletableFuture.supplyAsync(InProcessKafka::start);
            ChildPostgres postgres = ChildPostgres.start(PostgresOptions.fast());
            postgres.freeze();
            inProcess.join();
            System.out.println(postgres.pid());
            System.out.println(kafka.join().pid());
            new CountDownLatch(1).await();
        }
    }

    /** Lives through everything that needs rights: starting, freezing, killing and restarting. */
    static final class UserOfServers {
        public static void main(String[] arguments) throws SQLException {
            try (Backends backends = Backends.start(BackendsMode.EMBEDDED);
                    ChildPostgres postgres = ChildPostgres.start()) {
                postgres.freeze();
                postgres.unfreeze();
                postgres.kill();
                postgres.restart();
                postgres.restart();
                postgres.dataSource(postgres.createDatabase()).getConnection().close();
                String brokers = backends.kafka().bootstrapServers();
                String database = backends.postgres().createDatabase();
                System.out.println(System.getProperty("user.name") + " has " + brokers + " and " + database);
            }
        }
    }

    /** Prints what it is told when it asks for the shared servers. */
    static final class UserOfSharedServers {
        public static void main(String[] arguments) {
            try {
                System.out.println(Backends.shared().postgres().serverVersion());
            } catch (BackendException | IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
