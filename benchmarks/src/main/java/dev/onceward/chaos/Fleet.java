package dev.onceward.chaos;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.ProcessControl;
import dev.onceward.testsupport.proxy.PostgresProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The worker processes. Each has a place with its own way to PostgreSQL, which stays when the process is replaced. Thread-safe.
 */
final class Fleet implements AutoCloseable {
    private static final Duration STOP = Duration.ofSeconds(30);

    private final Servers servers;
    private final Function<Start, ProcessControl> starter;
    private final List<Place> places = new ArrayList<>();
    private final List<String> endedByThemselves = new CopyOnWriteArrayList<>();
    private int started;

    /**
     * What a worker process is to be started with.
     *
     * @param id of the worker, never used before
     * @param jdbcUrl its way to PostgreSQL
     * @param clockOffset how far its clock is ahead; negative: behind
     */
    record Start(String id, String jdbcUrl, Duration clockOffset) {}

    Fleet(Servers servers, int workers, Function<Start, ProcessControl> starter) {
        this.servers = servers;
        this.starter = starter;
        for (int number = 0; number < workers; number++) {
            places.add(new Place());
        }
        places.forEach(Place::fill);
    }

    /** A worker that no other fault has in hand, for one fault that it lives through. */
    synchronized Hold take(Random random) {
        return take(places, random);
    }

    /** The same for a fault that ends it: never the first one, which is there for as long as it can, so that leaks show. */
    synchronized Hold takeMortal(Random random) {
        return take(places.subList(1, places.size()), random);
    }

    private Hold take(List<Place> some, Random random) {
        List<Place> free = some.stream().filter(place -> !place.held).toList();
        Place place = free.get(random.nextInt(free.size()));
        place.held = true;
        return new Hold(place);
    }

    /** Starts one more. */
    Extra add() {
        Place place = new Place();
        place.fill();
        return new Extra(place);
    }

    List<PostgresProxy> waysToPostgres() {
        return places.stream().map(place -> place.way).toList();
    }

    /** Workers that ended though nobody ended them: by their own word they must, at times, and another takes their place. */
    List<String> endedByThemselves() {
        return List.copyOf(endedByThemselves);
    }

    /** Fills places whose worker has ended by itself, as an orchestrator does. */
    synchronized void refill() {
        for (Place place : places) {
            if (!place.held && !place.process().isAlive()) {
                endedByThemselves.add(place.id);
                place.fill();
            }
        }
    }

    /** Ends all in an orderly way. */
    void stopAll() {
        places.forEach(place -> place.process().terminate());
        places.forEach(Place::awaitEnd);
    }

    @Override
    public void close() {
        places.forEach(place -> {
            place.process().close();
            place.way.close();
        });
    }

    private synchronized String nextId() {
        started++;
        return "worker-" + started;
    }

    /** Where one worker at a time runs. */
    private final class Place {
        private final PostgresProxy way = PostgresProxy.to(servers.postgres());
        private boolean held;
        private String id = "";
        private @Nullable ProcessControl process;

        private void fill() {
            fill(Duration.ZERO);
        }

        private void fill(Duration clockOffset) {
            if (process != null) {
                process.close();
            }
            id = nextId();
            process = starter.apply(new Start(id, way.jdbcUrl(servers.database()), clockOffset));
        }

        private ProcessControl process() {
            ProcessControl current = process;
            if (current == null) {
                throw new IllegalStateException("The place has never been filled");
            }
            return current;
        }

        private void awaitEnd() {
            try {
                process().awaitExit(STOP);
            } catch (BackendException e) {
                process().kill9();
            }
        }
    }

    /** One worker, for one fault; at its end the place is filled again. */
    final class Hold implements AutoCloseable {
        private final Place place;

        private Hold(Place place) {
            this.place = place;
        }

        ProcessControl process() {
            return place.process();
        }

        void kill() {
            place.process().kill9();
        }

        void stop() {
            place.process().terminate();
            place.awaitEnd();
        }

        /** In the place of the one that was stopped. */
        void startWithClock(Duration offset) {
            place.fill(offset);
        }

        @Override
        public void close() {
            synchronized (Fleet.this) {
                if (!place.process().isAlive()) {
                    place.fill();
                }
                place.held = false;
            }
        }
    }

    /** A worker beside the others. */
    static final class Extra implements AutoCloseable {
        private final Place place;

        private Extra(Place place) {
            this.place = place;
        }

        void leave() {
            place.process().terminate();
            place.awaitEnd();
        }

        @Override
        public void close() {
            place.process().close();
            place.way.close();
        }
    }
}
