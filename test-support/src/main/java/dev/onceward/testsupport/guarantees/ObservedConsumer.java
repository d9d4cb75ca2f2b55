package dev.onceward.testsupport.guarantees;

import dev.onceward.migrations.SchemaName;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The consumer whose guarantees are checked. Immutable.
 *
 * @param name as in {@code ConsumerRuntime.named}
 * @param group its Kafka group; by default its name
 * @param schema where Onceward's tables are; by default {@code public}
 * @param dataSource the database; the role must be allowed to read Onceward's tables, and to make temporary ones
 * @param kafka properties of Kafka's clients, with {@code bootstrap.servers}
 */
public record ObservedConsumer(
        String name, String group, SchemaName schema, DataSource dataSource, Map<String, Object> kafka) {

    /** Copies. */
    public ObservedConsumer {
        kafka = Map.copyOf(kafka);
    }

    /** With the usual group and schema. */
    public static ObservedConsumer named(String name, DataSource dataSource, String bootstrapServers) {
        return new ObservedConsumer(
                name, name, new SchemaName("public"), dataSource, Map.of("bootstrap.servers", bootstrapServers));
    }

    /** The same, of another group. */
    public ObservedConsumer withGroup(String other) {
        return new ObservedConsumer(name, other, schema, dataSource, kafka);
    }

    /** The same, with Onceward's tables in another schema. */
    public ObservedConsumer withSchema(String other) {
        return new ObservedConsumer(name, group, new SchemaName(other), dataSource, kafka);
    }

    /** SQL with {@code {table}} in the place of each of Onceward's tables. */
    String sql(String text) {
        return text.replaceAll("\\{([a-z_]+)}", schema.quoted().replace("\\", "\\\\") + ".$1");
    }

    Map<String, Object> kafkaWith(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(kafka);
        all.putAll(more);
        return all;
    }
}
