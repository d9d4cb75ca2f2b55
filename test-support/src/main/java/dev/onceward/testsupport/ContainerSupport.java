package dev.onceward.testsupport;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** What the container variants share. */
final class ContainerSupport {

    private ContainerSupport() {}

    /** The image named by an environment variable, for registries of one's own; the official one otherwise. */
    static DockerImageName image(String variable, String official) {
        String repository = DockerImageName.parse(official).getUnversionedPart();
        String configured = System.getenv(variable);
        return DockerImageName.parse(configured == null || configured.isBlank() ? official : configured.trim())
                .asCompatibleSubstituteFor(repository);
    }

    static void requireEngine() {
        boolean available;
        try {
            available = DockerClientFactory.instance().isDockerAvailable();
        } catch (RuntimeException e) {
            throw new BackendException(noEngine(), e);
        }
        if (!available) {
            throw new BackendException(noEngine());
        }
    }

    private static String noEngine() {
        return BackendsMode.PROPERTY
                + "=containers needs a Docker engine, and none answers: start one, or point DOCKER_HOST"
                + " to it, or use -D" + BackendsMode.PROPERTY + "=embedded, which needs none";
    }
}
