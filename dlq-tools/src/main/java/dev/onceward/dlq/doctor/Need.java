package dev.onceward.dlq.doctor;

import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Something that somebody must be allowed to do in Kafka.
 *
 * @param type topic or group
 * @param name of that
 * @param operation what
 * @param reason what cannot be done otherwise
 */
record Need(ResourceType type, String name, AclOperation operation, String reason) {
    static Need topic(String name, AclOperation operation, String reason) {
        return new Need(ResourceType.TOPIC, name, operation, reason);
    }

    static Need group(String name, AclOperation operation, String reason) {
        return new Need(ResourceType.GROUP, name, operation, reason);
    }

    /** For people. */
    String what() {
        return title(operation) + " on the " + type.name().toLowerCase(java.util.Locale.ROOT) + " " + name;
    }

    /** The command that allows it. */
    String grant(String bootstrap, String principal) {
        return "kafka-acls.sh --bootstrap-server " + bootstrap + " --add --allow-principal " + principal
                + " --operation " + title(operation) + " --" + type.name().toLowerCase(java.util.Locale.ROOT) + " "
                + name;
    }

    private static String title(AclOperation operation) {
        String name = operation.name();
        return name.charAt(0) + name.substring(1).toLowerCase(java.util.Locale.ROOT);
    }
}
