import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type CaseResult, type ConformOptions, conform as runCorpus } from "@quern/conformance";
import { bounded } from "./measure.ts";
import { readyUrl, startService } from "./service.ts";

const SEED = 1;

/**
 * Runs the conformance corpus with a fixed seed on the service, the mock and other servers. For the service and the
 * mock, all other options are the defaults of `quern conform`.
 */
export async function conform(): Promise<void> {
  const ours = { "@quern/mock-server": await onMock("quern"), "quern serve": await onService() };
  const others = {
    "@open-rpc/mock-server": await onMock("open-rpc", impatient),
    // These libraries do not read an OpenRPC document, so `mocks/examples.mjs` implements the methods.
    jayson: await onMock("jayson", { ...impatient, profiles: ["json-rpc"] }),
    "json-rpc-2.0": await onMock("json-rpc-2", { ...impatient, profiles: ["json-rpc"] }),
  };
  for (const [title, run] of Object.entries({ ...ours, ...others })) printPassed(title, run);
  for (const [title, { results, seconds }] of Object.entries(ours)) {
    bounded({ what: `checks that ${title} fails`, value: results.length - passed(results), atMost: 0 });
    bounded({ what: `all checks on ${title}`, value: seconds, atMost: 6, unit: " s" });
  }
}

/** Short timeout, because these servers leave some requests unanswered. */
const impatient = { timeoutMs: 1_000 };

interface CorpusRun {
  readonly results: readonly CaseResult[];
  readonly seconds: number;
}

async function hold(options: ConformOptions): Promise<CorpusRun> {
  const start = performance.now();
  const { results } = await runCorpus({ ...options, seed: SEED });
  return { results, seconds: (performance.now() - start) / 1_000 };
}

async function onService(): Promise<CorpusRun> {
  await using service = await startService();
  return await hold({ url: service.url, apiKey: service.apiKey });
}

/** Starts a server of `mocks/` as a process, and discards its output. */
async function onMock(name: string, options: Partial<ConformOptions> = {}): Promise<CorpusRun> {
  const script = fileURLToPath(new URL(`./mocks/${name}.mjs`, import.meta.url));
  const server = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(server, "exit");
  try {
    return await hold({ ...options, url: await readyUrl(server), apiKey: "bench" });
  } finally {
    server.kill();
    await ended;
  }
}

function printPassed(title: string, { results, seconds }: CorpusRun): void {
  const jsonRpc = results.filter(({ profile }) => profile === "json-rpc");
  const all = results.length > jsonRpc.length ? `, ${passed(results)} of ${results.length} of all` : "";
  console.log(
    `  ${title.padEnd(22)} ${passed(jsonRpc)} of ${jsonRpc.length} of JSON-RPC${all}, ${seconds.toFixed(1)} s`,
  );
}

function passed(results: CorpusRun["results"]): number {
  return results.filter(({ outcome }) => outcome === "passed").length;
}
