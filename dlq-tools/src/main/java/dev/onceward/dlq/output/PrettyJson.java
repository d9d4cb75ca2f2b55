package dev.onceward.dlq.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Optional;

/** JSON indented, token by token: no number is rounded, no name that stands twice is lost. */
public final class PrettyJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private PrettyJson() {}

    /** The text indented, if it is one JSON object or array. */
    public static Optional<String> of(String text) {
        StringWriter out = new StringWriter();
        try (JsonParser parser = FACTORY.createParser(text);
                JsonGenerator generator = FACTORY.createGenerator(out)) {
            generator.setPrettyPrinter(new DefaultPrettyPrinter());
            JsonToken token = parser.nextToken();
            if (token == null || !token.isStructStart()) {
                return Optional.empty();
            }
            int depth = 0;
            do {
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (token.isNumeric()) {
                    generator.writeNumber(parser.getText());
                } else {
                    generator.copyCurrentEvent(parser);
                }
                token = parser.nextToken();
            } while (depth > 0 && token != null);
            if (token != null || depth > 0) {
                return Optional.empty(); // more behind it, or cut off
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.of(out.toString());
    }
}
