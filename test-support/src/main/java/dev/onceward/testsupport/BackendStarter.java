package dev.onceward.testsupport;

/** How each {@link BackendsMode} comes by its servers. */
interface BackendStarter {

    KafkaServer kafka();

    PostgresServer postgres();

    /**
     * Reads and checks the mode's own settings at once, in the caller's thread.
     *
     * @throws IllegalArgumentException if one is missing or wrong
     */
    static BackendStarter of(BackendsMode mode) {
        return switch (mode) {
            case EMBEDDED -> new Embedded();
            case CONTAINERS -> new Containers();
            case EXTERNAL -> ExternalBackends.of(System.getProperties());
        };
    }

    /** No fsync: no test of ours pulls the plug of the machine. */
    record Embedded() implements BackendStarter {
        @Override
        public KafkaServer kafka() {
            return InProcessKafka.start();
        }

        @Override
        public PostgresServer postgres() {
            return ChildPostgres.start(PostgresOptions.fast());
        }
    }

    /** The same settings as embedded. */
    record Containers() implements BackendStarter {
        @Override
        public KafkaServer kafka() {
            return ContainerKafka.start(KafkaOptions.defaults());
        }

        @Override
        public PostgresServer postgres() {
            return ContainerPostgres.start(PostgresOptions.fast());
        }
    }
}
