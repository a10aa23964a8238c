import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each JUnit test an isolated Quern mock. Copy this file beside your tests and add your package; it needs Java 17, JUnit 5,
 * jackson-databind and a mock server. {@code QUERN_MOCK_URL} is the base URL of a running one. Otherwise the extension starts one for each
 * JVM with the command of {@code QUERN_MOCK}, by default {@code npx --no quern mock}.
 *
 * <pre>{@code
 * @ExtendWith(QuernMock.class)
 * class CarsTest {
 *   @Test
 *   void listsCars(QuernMock.Namespace quern) {
 *     quern.when("select name from cars", Map.of("rows", List.of(Map.of("name", "fiat 128"))));
 *     assertEquals(List.of("fiat 128"), new MyCode(quern.url, quern.apiKey).cars());
 *   }
 * }
 * }</pre>
 *
 * At the end of a test the extension fails it for a statement without a stub, an invalid call, and a fault that met no call; it warns of
 * stubs that matched no statement.
 */
public final class QuernMock implements ParameterResolver, AfterEachCallback {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(QuernMock.class);

  private final Map<String, ?> options;

  /** Gives each test a strict namespace. */
  public QuernMock() {
    this(Map.of());
  }

  /**
   * Gives each test a namespace with these options of {@code createNamespace}, such as {@code Map.of("clock", Map.of("auto", true))}. Use it
   * with {@code @RegisterExtension}.
   */
  public QuernMock(Map<String, ?> options) {
    this.options = merged(Map.of("strict", true), options);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Namespace.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getStore(STORE).getOrComputeIfAbsent("namespace", key -> new Namespace(Server.URL, options));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Namespace namespace = context.getStore(STORE).get("namespace", Namespace.class);
    if (namespace != null) namespace.finish(context.getDisplayName(), context.getExecutionException());
  }

  /** Error of the administration API, with the code and data of {@code spec/mock-admin.json}. */
  public static final class AdminException extends RuntimeException {
    public final int code;
    public final JsonNode data;

    AdminException(JsonNode error) {
      super(error.path("message").asText() + " (" + error.path("code") + ")" + reason(error));
      this.code = error.path("code").asInt();
      this.data = error.path("data");
    }

    private static String reason(JsonNode error) {
      String reason = error.at("/data/reason").asText();
      return reason.isEmpty() ? "" : ": " + reason;
    }
  }

  /** Isolated mock of one test: other tests do not see its stubs, runs and calls. */
  public static final class Namespace {
    /** Base URL for the client under test. */
    public final String url;
    /** Key for the header {@code x-api-key}. */
    public final String apiKey;

    Namespace(String url, Map<String, ?> options) {
      this.url = url;
      this.apiKey = call(url, "createNamespace", options).path("apiKey").asText();
    }

    /**
     * Stubs the statements that match, and returns the id of the stub.
     *
     * @param match SQL, or a map with sql, pattern, tags, parameters or dataSource
     * @param outcome rows, fails or sequence, and after, afterPolls, times or scenario
     */
    public String when(Object match, Map<String, ?> outcome) {
      return admin("stubStatement", merged(Map.of("match", match), outcome)).path("stubId").asText();
    }

    /** Plans a fault of a method's next call: on, times, status, body, connection, error and others of planFault. */
    public void fault(String method, Map<String, ?> fault) {
      admin("planFault", merged(Map.of("method", method), fault));
    }

    /** Moves the clock forward, and returns its new time. */
    public Instant advance(Duration by) {
      return Instant.parse(admin("advanceClock", Map.of("by", by.toMillis())).path("now").asText());
    }

    /** Returns the calls of a method, the oldest first, each with method, params, at, and result or error. */
    public List<JsonNode> calls(String method) {
      return list(admin("getHistory", Map.of("method", method)).path("calls"));
    }

    /** Returns all calls, the oldest first. */
    public List<JsonNode> calls() {
      return list(history().path("calls"));
    }

    /** Returns calls, unexpected, unusedFaults, unusedStubs and contractViolations. */
    public JsonNode history() {
      return admin("getHistory", Map.of());
    }

    /** Forgets stubs, faults, runs and calls. */
    public void reset() {
      admin("resetNamespace", Map.of());
    }

    /** Calls a method of {@code spec/mock-admin.json} for this namespace. */
    public JsonNode admin(String method, Map<String, ?> params) {
      return call(url, method, merged(Map.of("apiKey", apiKey), params));
    }

    /** Asserts that the test met no problem, and ends the namespace. */
    private void finish(String test, Optional<Throwable> failure) {
      JsonNode history = history();
      admin("disposeNamespace", Map.of());
      for (JsonNode stub : history.path("unusedStubs"))
        System.err.println("unused stub in " + test + ": " + stub.asText() + "; remove it, or correct its matcher");
      List<String> problems = new ArrayList<>();
      history.path("unexpected").forEach(text -> problems.add(text.asText()));
      history.path("unusedFaults").forEach(text -> problems.add(text.asText()));
      if (problems.isEmpty()) return;
      history
          .path("contractViolations")
          .forEach(text -> problems.add("contract violation in the answer to " + text.asText()));
      String text = "the mock server reports unexpected calls or unused faults:\n  " + String.join("\n  ", problems);
      // JUnit shows this error beside the failure of the test.
      throw new AssertionError(text, failure.orElse(null));
    }
  }

  /** Mock server. One that the extension starts ends with this JVM, which closes its standard input. */
  private static final class Server {
    private static Process process;
    static final String URL = find();

    private static String find() {
      String running = System.getenv("QUERN_MOCK_URL");
      if (running != null && !running.isBlank()) return running.replaceAll("/+$", "");
      String command = Optional.ofNullable(System.getenv("QUERN_MOCK")).orElse("npx --no quern mock");
      List<String> words = new ArrayList<>(List.of(command.trim().split("\\s+")));
      // Windows has a script of this name, which it finds with its extension only.
      if (words.get(0).equals("npx") && System.getProperty("os.name").startsWith("Windows")) words.set(0, "npx.cmd");
      words.addAll(List.of("--port", "0", "--json", "--parent", "stdin"));
      try {
        process = new ProcessBuilder(words).redirectError(Redirect.INHERIT).start();
        String line = process.inputReader().readLine();
        if (line == null) throw new IOException("it exited before it listened");
        return JSON.readTree(line).path("url").asText();
      } catch (IOException error) {
        String remedy =
            "install @quern/cli and @quern/mock-server, or set QUERN_MOCK to a command, or QUERN_MOCK_URL to a running mock";
        throw new IllegalStateException("cannot start " + words + ": " + error.getMessage() + "; " + remedy, error);
      }
    }
  }

  private static JsonNode call(String url, String method, Map<String, ?> params) {
    Map<String, ?> request = Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", List.of(params));
    try {
      HttpRequest post =
          HttpRequest.newBuilder(URI.create(url + "/admin/json-rpc"))
              .header("content-type", "application/json")
              .timeout(Duration.ofSeconds(30))
              .POST(BodyPublishers.ofString(JSON.writeValueAsString(request)))
              .build();
      JsonNode reply = JSON.readTree(HTTP.send(post, BodyHandlers.ofString()).body());
      if (reply.has("error")) throw new AdminException(reply.path("error"));
      return reply.path("result");
    } catch (IOException error) {
      throw new IllegalStateException(method + " of the mock server failed: " + error, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  private static Map<String, Object> merged(Map<String, ?> defaults, Map<String, ?> more) {
    Map<String, Object> all = new HashMap<>(defaults);
    all.putAll(more);
    return all;
  }

  private static List<JsonNode> list(JsonNode array) {
    List<JsonNode> items = new ArrayList<>();
    array.forEach(items::add);
    return items;
  }
}
