import static io.trino.testing.TestingSession.testSessionBuilder;

import com.google.inject.Key;
import io.trino.plugin.memory.MemoryPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.server.security.PasswordAuthenticatorManager;
import io.trino.spi.security.AccessDeniedException;
import io.trino.spi.security.BasicPrincipal;
import io.trino.testing.DistributedQueryRunner;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Trino of the tests: a coordinator that executes queries itself, with the catalogs tpch, tpch_decimal (without
 * doubles) and memory, and spooled results. Over HTTP it believes every user name; over HTTPS a user needs the
 * password. Prints its ports, and ends when its standard input does, or the process of the fourth argument.
 *
 * Arguments: key store, password of the key store and of the users, file of access rules, and the id of a process.
 */
class Engine {
    public static void main(String[] args) throws Exception {
        PrintStream out = System.out; // Trino sends later output to its log
        String password = args[1];
        Path unread = Files.createTempFile("password-authenticator", ".properties"); // Trino insists that it exists
        DistributedQueryRunner runner = DistributedQueryRunner.builder(testSessionBuilder().build())
                .setWorkerCount(0)
                .setSystemAccessControl("file", Map.of("security.config-file", args[2]))
                .withProtocolSpooling("json+zstd")
                .addExtraProperty("query.max-memory-per-node", "200MB")
                .addCoordinatorProperty("http-server.https.enabled", "true")
                .addCoordinatorProperty("http-server.https.port", "0")
                .addCoordinatorProperty("http-server.https.keystore.path", args[0])
                .addCoordinatorProperty("http-server.https.keystore.key", password)
                .addCoordinatorProperty("http-server.authentication.type", "PASSWORD")
                .addCoordinatorProperty("password-authenticator.config-files", unread.toString())
                .addCoordinatorProperty("http-server.authentication.allow-insecure-over-http", "true")
                .build();
        runner.getCoordinator().getInstance(Key.get(PasswordAuthenticatorManager.class)).setAuthenticators((user, given) -> {
            if (!given.equals(password)) throw new AccessDeniedException("wrong password");
            return new BasicPrincipal(user);
        });
        runner.installPlugin(new TpchPlugin());
        runner.createCatalog("tpch", "tpch", Map.of("tpch.splits-per-node", "100")); // each one is a step of the progress
        runner.createCatalog("tpch_decimal", "tpch", Map.of("tpch.double-type-mapping", "DECIMAL"));
        runner.installPlugin(new MemoryPlugin());
        runner.createCatalog("memory", "memory");
        int http = runner.getCoordinator().getBaseUrl().getPort();
        int https = runner.getCoordinator().getHttpsBaseUrl().getPort();
        out.println("ports " + http + " " + https);
        if (args.length > 3) ProcessHandle.of(Long.parseLong(args[3])).ifPresent(process -> process.onExit().join());
        else while (System.in.read() != -1) {}
        System.exit(0);
    }
}
