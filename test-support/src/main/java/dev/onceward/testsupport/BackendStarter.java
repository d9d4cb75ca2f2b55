package dev.onceward.testsupport;

/** How each {@link BackendsMode} comes by its servers. */
interface BackendStarter {

    KafkaServer kafka();

    PostgresServer postgres();

    /**
     * Reads and checks the mode's own settings at once, in the caller's thread.
     *
     * @param postgres how PostgreSQL is set up where it is started here
     * @throws IllegalArgumentException if one is missing or wrong
     */
    static BackendStarter of(BackendsMode mode, PostgresOptions postgres) {
        return switch (mode) {
            case EMBEDDED -> new Embedded(postgres);
            case CONTAINERS -> new Containers(postgres);
            case EXTERNAL -> ExternalBackends.of(System.getProperties());
        };
    }

    /** In-process where possible: starts sooner. */
    record Embedded(PostgresOptions postgresOptions) implements BackendStarter {
        @Override
        public KafkaServer kafka() {
            return InProcessKafka.start();
        }

        @Override
        public PostgresServer postgres() {
            return ChildPostgres.start(postgresOptions);
        }
    }

    /** The same settings as embedded. */
    record Containers(PostgresOptions postgresOptions) implements BackendStarter {
        @Override
        public KafkaServer kafka() {
            return ContainerKafka.start(KafkaOptions.defaults());
        }

        @Override
        public PostgresServer postgres() {
            return ContainerPostgres.start(postgresOptions);
        }
    }
}
