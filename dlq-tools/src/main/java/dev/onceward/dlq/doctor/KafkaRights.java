package dev.onceward.dlq.doctor;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.topic.TopicFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;

/**
 * Whether Kafka lets this command do what it does, which the brokers themselves say; and whether it lets workers do what
 * they do, as far as ACLs tell: superusers and the brokers' default are not among them.
 */
final class KafkaRights {
    private static final String OURS = "kafka rights";
    private static final String WORKERS = "worker acls";
    private static final String US = "User:THIS_COMMANDS_USER";
    private static final String THEM = "User:THE_WORKERS_USER";

    private final Connections connections;
    private final List<Finding> findings = new ArrayList<>();

    KafkaRights(Connections connections) {
        this.connections = connections;
    }

    /** @param facts by consumer, of the topics that exist */
    List<Finding> run(Map<ConsumerTopics, Map<String, TopicFacts>> facts) {
        Collection<AclBinding> acls = null;
        try {
            acls = connections.await(
                    connections.admin().describeAcls(AclBindingFilter.ANY).values());
        } catch (SecurityDisabledException e) {
            return List.of(Finding.ok(OURS, "no authorizer: everybody may do everything"));
        } catch (ClusterAuthorizationException e) {
            // Not everybody may see them. What we may do ourselves is known all the same.
        }
        facts.forEach(this::ours);
        if (findings.isEmpty() && !facts.isEmpty()) {
            findings.add(Finding.ok(OURS, "this command may do what it does with the topics and groups"));
        }
        if (acls == null) {
            findings.add(Finding.unknown(
                    WORKERS,
                    "the ACLs may not be seen",
                    "kafka-acls.sh --bootstrap-server " + connections.kafkaAddress() + " --add --allow-principal " + US
                            + " --operation Describe --cluster"));
        } else {
            Collection<AclBinding> seen = acls;
            facts.keySet().forEach(topics -> workers(topics, seen));
        }
        return findings;
    }

    private void ours(ConsumerTopics topics, Map<String, TopicFacts> facts) {
        List<Need> needs = new ArrayList<>();
        topics.deadLetters().forEach((source, letters) -> {
            needs.add(Need.topic(source, AclOperation.READ, "dlq age cannot tell how old its messages are"));
            needs.add(Need.topic(letters, AclOperation.READ, "no payload can be shown or replayed"));
            needs.add(Need.topic(letters, AclOperation.WRITE, "dlq import and erase cannot write there"));
        });
        needs.add(Need.topic(topics.replayDeadLetters(), AclOperation.READ, "no payload can be shown or replayed"));
        needs.add(Need.topic(topics.replay(), AclOperation.WRITE, "dlq replay cannot send"));
        needs.add(Need.topic(topics.replay(), AclOperation.READ, "dlq age cannot tell how old its messages are"));
        for (Need need : needs) {
            TopicFacts topic = facts.get(need.name());
            if (topic != null && !allows(topic.allowed(), need.operation())) {
                missing(need);
            }
        }
        Need offsets = Need.group(
                topics.group(),
                AclOperation.DESCRIBE,
                "dlq age does not know what is finished, nor dlq replay --wait what it waits for");
        if (!maySee(topics.group())) {
            missing(offsets);
        }
    }

    private void missing(Need need) {
        findings.add(Finding.problem(
                OURS,
                "this command is not allowed " + need.what() + ": " + need.reason(),
                need.grant(connections.kafkaAddress(), US)));
    }

    private boolean maySee(String group) {
        try {
            KafkaFuture<ConsumerGroupDescription> answer = connections
                    .admin()
                    .describeConsumerGroups(
                            List.of(group), new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true))
                    .describedGroups()
                    .get(group);
            Set<AclOperation> allowed =
                    connections.await(Objects.requireNonNull(answer)).authorizedOperations();
            return allowed == null || allows(allowed, AclOperation.DESCRIBE);
        } catch (GroupIdNotFoundException e) {
            return true; // whoever may not see it is told so first
        } catch (GroupAuthorizationException e) {
            return false;
        }
    }

    private static boolean allows(Set<AclOperation> allowed, AclOperation operation) {
        return allowed.contains(operation) || allowed.contains(AclOperation.ALL);
    }

    private void workers(ConsumerTopics topics, Collection<AclBinding> acls) {
        List<Need> needs = new ArrayList<>();
        topics.deadLetters().forEach((source, letters) -> {
            needs.add(Need.topic(source, AclOperation.READ, ""));
            needs.add(Need.topic(letters, AclOperation.WRITE, ""));
        });
        needs.add(Need.topic(topics.replay(), AclOperation.READ, ""));
        needs.add(Need.topic(topics.replayDeadLetters(), AclOperation.WRITE, ""));
        needs.add(Need.group(topics.group(), AclOperation.READ, ""));
        Set<String> able = null;
        for (Need need : needs) {
            Set<String> some = principals(need, acls);
            if (some.isEmpty()) {
                findings.add(Finding.unknown(
                        WORKERS,
                        "no ACL allows anybody " + need.what() + ", as workers of " + topics.consumer()
                                + " must be: they are superusers, or allowed by the brokers' default, or are refused",
                        need.grant(connections.kafkaAddress(), THEM)));
            }
            if (able == null) {
                able = new HashSet<>(some);
            } else {
                able.retainAll(some);
            }
        }
        if (able != null && !able.isEmpty()) {
            findings.add(Finding.ok(
                    WORKERS,
                    "what workers of " + topics.consumer() + " must do is allowed to "
                            + able.stream().sorted().collect(Collectors.joining(", "))));
        }
    }

    /** Who is allowed it and not denied it, by name; hosts are not looked at. */
    private static Set<String> principals(Need need, Collection<AclBinding> acls) {
        Set<String> allowed = new HashSet<>();
        Set<String> denied = new HashSet<>();
        for (AclBinding acl : acls) {
            AclOperation operation = acl.entry().operation();
            if (covers(acl.pattern(), need) && (operation == need.operation() || operation == AclOperation.ALL)) {
                (acl.entry().permissionType() == AclPermissionType.DENY ? denied : allowed)
                        .add(acl.entry().principal());
            }
        }
        allowed.removeAll(denied);
        return allowed;
    }

    private static boolean covers(ResourcePattern pattern, Need need) {
        return pattern.resourceType() == need.type()
                && (pattern.name().equals(ResourcePattern.WILDCARD_RESOURCE)
                        || (pattern.patternType() == PatternType.PREFIXED
                                ? need.name().startsWith(pattern.name())
                                : need.name().equals(pattern.name())));
    }
}
