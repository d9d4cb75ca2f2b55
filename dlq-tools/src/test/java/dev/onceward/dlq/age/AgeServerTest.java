package dev.onceward.dlq.age;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class AgeServerTest {
    private AgeServer server;

    @BeforeEach
    void start() throws IOException {
        server = AgeServer.start(0, List::of, Exception::getMessage);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void clientsThatSendHalfARequestStopNobody() throws Exception {
        assertThat(scrapeBeside(4).statusCode()).isEqualTo(200);
    }

    @Test
    void moreOfThemThanThereAreThreadsDelayAScrapeOnly() throws Exception {
        assertThat(scrapeBeside(12).statusCode()).isEqualTo(200);
    }

    /** A scrape while some clients have sent half a request and wait. */
    private HttpResponse<String> scrapeBeside(int clients) throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int client = 0; client < clients; client++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri().getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET /metr".getBytes(UTF_8));
                socket.getOutputStream().flush();
            }
            return send("GET", uri());
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void servesOnePathAndReadsOnly() throws Exception {
        assertThat(send("GET", uri()).body()).contains("# TYPE dlq_oldest_message_age_seconds gauge");
        HttpResponse<String> head = send("HEAD", uri());
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (String path : List.of("/", "/metrics/", "/metricsand", "/metrics/more")) {
            assertThat(send("GET", uri().resolve(path)).statusCode()).as(path).isEqualTo(404);
        }
        HttpResponse<String> posted = send("POST", uri());
        assertThat(posted.statusCode()).isEqualTo(405);
        assertThat(posted.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    private URI uri() {
        return URI.create(server.address());
    }

    private static HttpResponse<String> send(String method, URI uri) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .timeout(Duration.ofSeconds(30))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
