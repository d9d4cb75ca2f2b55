package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.migrations.Migrations;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.ClaimsSwitch;
import dev.onceward.testsupport.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClaimsSwitchIT {

    private static final String SCHEMA = "once";

    private final PostgresServer postgres = Backends.sharedPostgres();
    private final DataSource database = postgres.dataSource(postgres.createDatabase());

    @BeforeEach
    void migrate() {
        Migrations.apply(database, SCHEMA);
    }

    @Test
    void whereClaimsAreOffEachDeliveryIsAFirstOne() throws Exception {
        ClaimsSwitch.off(database, SCHEMA);
        ClaimsSwitch.off(database, SCHEMA);
        assertThat(claim("a", "b")).containsExactly("a", "b");
        assertThat(claim("b", "c")).containsExactly("b", "c");
    }

    @Test
    void whereTheyAreOnAgainTheyStay() throws Exception {
        ClaimsSwitch.off(database, SCHEMA);
        claim("a");
        ClaimsSwitch.on(database, SCHEMA);
        assertThat(claim("a", "b")).containsExactly("a", "b");
        assertThat(claim("b", "c")).containsExactly("c");
    }

    private List<String> claim(String... ids) throws Exception {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("INSERT INTO once.processed_messages"
                        + " SELECT 'ledger', id, now(), 1, 1, 1, 1 FROM unnest('{" + String.join(",", ids)
                        + "}'::text[]) AS id ON CONFLICT DO NOTHING RETURNING message_id")) {
            List<String> claimed = new ArrayList<>();
            while (rows.next()) {
                claimed.add(rows.getString(1));
            }
            return claimed;
        }
    }
}
