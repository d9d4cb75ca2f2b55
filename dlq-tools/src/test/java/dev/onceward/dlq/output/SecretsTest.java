package dev.onceward.dlq.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "known: s3cr3t-word",
                "jdbc:postgresql://h:5432/d?user=u&password=another1&ssl=true",
                "postgresql://u:another1@h:5432/d",
                "postgres://u:an@other1@h/d",
                "sasl.jaas.config=org.apache.X required username=\"u\" password=\"another1\";",
                "PASSWORD: another1",
                "ssl.keystore.password=another1"
            })
    void areTakenOutWhicheverLibraryWroteThem(String text) {
        Secrets secrets = new Secrets();
        secrets.add("s3cr3t-word");

        assertThat(secrets.hide(text)).contains("(hidden)").doesNotContain("s3cr3t", "another1", "other1");
    }
}
