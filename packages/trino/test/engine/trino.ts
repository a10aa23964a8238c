import { hasVersitygw } from "../../../s3/test/versitygw.ts";
import { startCluster } from "./cluster.ts";
import { embeddedVersion, missingForEmbedded, shareEmbedded, startEmbedded } from "./embedded.ts";
import { javaHome } from "./java.ts";
import { canGetServer, hasServer, serverVersion } from "./tarball.ts";
import type { TestTrino } from "./test-trino.ts";

export { password, type TestTrino } from "./test-trino.ts";

// Not QUERN_…: the service refuses variables of that prefix that it does not know.
const variable = "TEST_TRINO_VERSION";

/**
 * Version of the tests: that of the variable TEST_TRINO_VERSION, else the server if the machine has it already, else
 * the smaller download.
 */
function chosenVersion(): string {
  const chosen = process.env[variable] ?? (hasServer() && hasVersitygw() ? serverVersion : embeddedVersion);
  if (chosen === serverVersion || chosen === embeddedVersion) return chosen;
  throw new Error(`Invalid ${variable}: must be ${serverVersion} or ${embeddedVersion}, got ${chosen}.`);
}

/** Returns undefined if the machine can run Trino, else the reason. */
export function missingProgram(): string | undefined {
  const version = chosenVersion();
  if (javaHome() === undefined) return "the machine lacks Java 25";
  if (version === embeddedVersion) return missingForEmbedded();
  if (!hasVersitygw()) return "the machine lacks Go, which builds versitygw";
  return canGetServer() ? undefined : "the machine lacks mvn";
}

/**
 * Starts Trino 476 as a cluster, or Trino 483 in one process.
 * @param options.directSegments Clients of the cluster fetch spooled segments from its storage, not from the coordinator.
 *   @default false
 */
export function startTrino({ directSegments = false } = {}): Promise<TestTrino> {
  const java = javaHome() ?? "";
  return chosenVersion() === serverVersion ? startCluster(java, directSegments) : startEmbedded(java);
}

/** Returns a Trino for tests that do not end it and that read only. Test files share Trino 483; each starts a cluster of its own. */
export function sharedTrino(options: Parameters<typeof startTrino>[0] = {}): Promise<TestTrino> {
  return chosenVersion() === serverVersion ? startTrino(options) : shareEmbedded(javaHome() ?? "");
}
