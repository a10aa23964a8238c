import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The scenario of scenario.mjs, by QuernMock and the HTTP client of the JDK. */
class ScenarioTest {
  @RegisterExtension
  static final QuernMock MOCK =
      new QuernMock(Map.of("clock", Map.of("startAt", "2030-01-01T00:00:00Z", "ticking", false)));

  private static final Path FOLDER = Path.of(System.getenv("SCENARIO_FOLDER"));
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static JsonNode call(QuernMock.Namespace quern, String method, Map<String, ?> params) throws Exception {
    Map<String, ?> body = Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", List.of(params));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(quern.url + "/json-rpc"))
            .header("content-type", "application/json")
            .header("x-api-key", quern.apiKey)
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build();
    return JSON.readTree(HTTP.send(request, BodyHandlers.ofString()).body()).path("result");
  }

  private static String create(QuernMock.Namespace quern, String sql) throws Exception {
    return call(quern, "createQueryRun", Map.of("sql", sql)).path("queryRun").path("id").asText();
  }

  private static String state(QuernMock.Namespace quern, String run) throws Exception {
    return call(quern, "getQueryRun", Map.of("queryRunId", run)).path("queryRun").path("state").asText();
  }

  private static void meet(String runner) throws Exception {
    Files.createFile(FOLDER.resolve(runner));
    while (!Files.exists(FOLDER.resolve("all"))) Thread.sleep(50);
  }

  @Test
  void scenario(QuernMock.Namespace quern) throws Exception {
    Map<String, ?> failure = Map.of("fails", Map.of("errorMessage", "out of memory"), "times", 2);
    // The order of columns is that of a table.
    Map<String, ?> table =
        Map.of("columns", List.of("id", "state", "format"), "rows", List.of(List.of("Java", "open", 1)));
    quern.when("select * from jobs", Map.of("sequence", List.of(failure, Map.of("rows", table))));
    quern.when("select slow", Map.of("rows", List.of(), "after", "30s"));
    meet("Java");

    assertEquals("QUERY_STATE_FAILED", state(quern, create(quern, "select * from jobs")));
    assertEquals("QUERY_STATE_FAILED", state(quern, create(quern, "select * from jobs")));
    String third = create(quern, "select * from jobs");
    assertEquals("QUERY_STATE_SUCCESS", state(quern, third));
    JsonNode page = call(quern, "getQueryRunResults", Map.of("queryRunId", third));
    assertEquals("[\"id\",\"state\",\"format\"]", page.path("columnNames").toString());
    assertEquals("[[\"Java\",\"open\",1]]", page.path("rows").toString());

    String slow = create(quern, "select slow");
    assertEquals("QUERY_STATE_RUNNING", state(quern, slow));
    assertEquals(Instant.parse("2030-01-01T00:00:30Z"), quern.advance(Duration.ofSeconds(30)));
    assertEquals("QUERY_STATE_SUCCESS", state(quern, slow));

    List<String> made =
        quern.calls().stream()
            .map(one -> (one.path("method").asText() + " " + one.at("/params/sql").asText()).trim())
            .toList();
    String jobs = "createQueryRun select * from jobs";
    assertEquals(
        List.of(
            jobs, "getQueryRun", jobs, "getQueryRun", jobs, "getQueryRun", "getQueryRunResults",
            "createQueryRun select slow", "getQueryRun", "getQueryRun"),
        made);

    assertEquals("QUERY_STATE_FAILED", state(quern, create(quern, "select elsewhere")));
    JsonNode unexpected = quern.history().path("unexpected");
    assertEquals(1, unexpected.size());
    assertTrue(unexpected.get(0).asText().startsWith("no stub matches \"select elsewhere\""));
    quern.reset();
  }
}
