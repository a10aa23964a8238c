import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CarsTest {
  @RegisterExtension
  static final QuernMock MOCK =
      new QuernMock(Map.of("clock", Map.of("startAt", "2030-01-01T00:00:00Z", "ticking", false)));

  private static final ObjectMapper JSON = new ObjectMapper();

  private static HttpResponse<String> post(QuernMock.Namespace quern, String method, Map<String, ?> params)
      throws Exception {
    Map<String, ?> body = Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", List.of(params));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(quern.url + "/json-rpc"))
            .header("content-type", "application/json")
            .header("x-api-key", quern.apiKey)
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private static JsonNode call(QuernMock.Namespace quern, String method, Map<String, ?> params) throws Exception {
    return JSON.readTree(post(quern, method, params).body()).path("result");
  }

  private static String create(QuernMock.Namespace quern, String sql) throws Exception {
    return call(quern, "createQueryRun", Map.of("sql", sql)).path("queryRun").path("id").asText();
  }

  private static String state(QuernMock.Namespace quern, String run) throws Exception {
    return call(quern, "getQueryRun", Map.of("queryRunId", run)).path("queryRun").path("state").asText();
  }

  @Test
  void goodRows(QuernMock.Namespace quern) throws Exception {
    quern.when("select name from cars", Map.of("rows", List.of(Map.of("name", "fiat 128"))));
    String run = create(quern, "SELECT name FROM cars;");
    assertEquals("QUERY_STATE_SUCCESS", state(quern, run));
    JsonNode page = call(quern, "getQueryRunResults", Map.of("queryRunId", run));
    assertEquals("[[\"fiat 128\"]]", page.path("rows").toString());
    assertEquals(3, quern.calls().size());
    assertEquals("SELECT name FROM cars;", quern.calls("createQueryRun").get(0).at("/params/sql").asText());
  }

  @Test
  void goodSequence(QuernMock.Namespace quern) throws Exception {
    Map<String, ?> failure = Map.of("fails", Map.of("errorMessage", "no"), "times", 2);
    Map<String, ?> rows = Map.of("rows", List.of(Map.of("n", 1)));
    quern.when(Map.of("pattern", "select 1"), Map.of("sequence", List.of(failure, rows)));
    for (String expected : List.of("FAILED", "FAILED", "SUCCESS"))
      assertEquals("QUERY_STATE_" + expected, state(quern, create(quern, "select 1")));
    quern.when("select nothing", Map.of("rows", List.of()));
  }

  @Test
  void goodFault(QuernMock.Namespace quern) throws Exception {
    quern.fault("listQueryRuns", Map.of("on", 2, "status", 503));
    assertEquals(200, post(quern, "listQueryRuns", Map.of()).statusCode());
    assertEquals(503, post(quern, "listQueryRuns", Map.of()).statusCode());
  }

  @Test
  void goodTime(QuernMock.Namespace quern) throws Exception {
    quern.when("select 1", Map.of("rows", List.of(), "after", "30s"));
    String run = create(quern, "select 1");
    assertEquals("QUERY_STATE_RUNNING", state(quern, run));
    assertEquals(Instant.parse("2030-01-01T00:00:30Z"), quern.advance(Duration.ofSeconds(30)));
    assertEquals("QUERY_STATE_SUCCESS", state(quern, run));
  }

  @Test
  void goodReset(QuernMock.Namespace quern) throws Exception {
    create(quern, "select 1");
    assertEquals("no stub matches \"select 1\"; none is defined", quern.history().at("/unexpected/0").asText());
    quern.reset();
  }

  @Test
  void goodRefusal(QuernMock.Namespace quern) {
    var refusal =
        assertThrows(QuernMock.AdminException.class, () -> quern.fault("listQueryRuns", Map.of("statsu", 502)));
    assertEquals(-32602, refusal.code);
  }

  @Test
  void badStatement(QuernMock.Namespace quern) throws Exception {
    quern.when("select name from cars", Map.of("rows", List.of()));
    create(quern, "select name from trucks");
  }

  @Test
  void badContractViolation(QuernMock.Namespace quern) throws Exception {
    quern.when("select 1", Map.of("violateContract", Map.of("createQueryRun", Map.of("queryRun", Map.of("state", 7)))));
    create(quern, "select 1");
    call(quern, "getQueryRuns", Map.of());
  }

  @Test
  void badFault(QuernMock.Namespace quern) {
    quern.fault("listQueryRuns", Map.of("status", 503));
  }

  @Test
  void badMethod(QuernMock.Namespace quern) {
    quern.fault("getQueryRuns", Map.of("status", 503));
  }

  @Test
  void badStub(QuernMock.Namespace quern) {
    quern.when("select 1", Map.of("row", List.of()));
  }
}
