import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { type ConformOptions, conform } from "../../src/index.ts";
import { actions } from "../differential/action.ts";
import { differenceOf } from "../differential/difference.ts";
import { mockSide } from "../differential/mock-side.ts";
import { post, storeResults } from "../differential/server-side.ts";
import type { Side } from "../differential/side.ts";
import { type Defect, packages } from "./defects.ts";
import { finders } from "./finders.ts";

const apiKey = "a key of the tests";
const seed = 7;

const modules = {
  mock: fileURLToPath(new URL("mock-mutant.ts", import.meta.url)),
  service: fileURLToPath(new URL("service-mutant.ts", import.meta.url)),
};
type End = keyof typeof modules;

interface Mutant extends Side, AsyncDisposable {
  readonly url: string;
  /** Advances the clock and returns its time. */
  advance(ms: number): Promise<number>;
}

/** Results of the scripted engine of all services. */
let folder = "";

async function startMutant(end: End, defect?: Defect): Promise<Mutant> {
  const patch = defect === undefined ? [] : [new URL(defect.file, packages).href, defect.from, defect.to];
  const child = fork(modules[end], end === "service" ? [folder, ...patch] : patch, {
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const ended = once(child, "exit");
  const [url] = await Promise.race([once(child, "message"), ended]);
  const agent = new Agent({ keepAlive: true });
  return {
    name: "mutant",
    url,
    post: (body) => post(url, apiKey, body, agent),
    async advance(ms) {
      child.send(ms);
      const [now] = await once(child, "message");
      return now;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.disconnect();
      await ended;
    },
  };
}

type Only = NonNullable<ConformOptions["only"]>;

const isProperty: Only = ({ id }) => id.startsWith("fuzz/");
const differential = "the differential test";

/** Returns the id of the first check that finds a defect. */
async function checkThatFails(url: string, only: Only, defect?: Defect): Promise<string | undefined> {
  let finder: string | undefined;
  await conform({
    url,
    apiKey,
    seed,
    // Long enough for a busy machine.
    timeoutMs: 15_000,
    only: (one) => finder === undefined && only(one),
    onResult: ({ id, outcome }) => {
      // A defect may stop a service from answering; a correct service may be slow.
      if (outcome === "failed" || (defect && outcome === "inconclusive")) finder ??= id;
    },
  });
  return finder;
}

/**
 * Returns true if the mutant behaves differently from a mock without a defect.
 * @param only number of the one sequence to send
 */
async function differs(mutant: Mutant, numRuns = 200, only?: number): Promise<boolean> {
  const right = mockSide(await mutant.advance(0));
  const same = fc.asyncProperty(actions, async (all) => (await differenceOf(all, [mutant, right])) === undefined);
  const { failed } = await fc.check(same, {
    seed,
    numRuns,
    endOnFailure: true,
    ...(only !== undefined && { path: String(only) }),
  });
  return failed;
}

/** Returns the check that finds the defect, or the comparison with a mock without one. Tries the recorded finder first. */
async function finderOf(end: End, defect: Defect): Promise<string | undefined> {
  await using mutant = await startMutant(end, defect);
  const { url } = mutant;
  const recorded = finders[end][defect.name];
  if (typeof recorded === "number") {
    if (await differs(mutant, 1, recorded)) return differential;
  } else {
    const recordedFirst: readonly Only[] = [({ id }) => id === recorded, (one) => !isProperty(one)];
    for (const only of recordedFirst) {
      const found = await checkThatFails(url, only, defect);
      if (found !== undefined) return found;
    }
  }
  return (await differs(mutant)) ? differential : await checkThatFails(url, isProperty, defect);
}

/** Adds the tests of the kit on a mock or a service: it finds each defect, and nothing without one. */
export function findsDefects(end: End, defects: readonly Defect[]): void {
  if (end === "service")
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "quern-mutants-"));
      await storeResults(folder);
    });

  it("finds nothing without a defect by the checks that find one", async () => {
    await using mutant = await startMutant(end);
    const used = new Set(Object.values(finders[end]));
    expect(await checkThatFails(mutant.url, ({ id }) => used.has(id))).toBeUndefined();
    expect(await differs(mutant, 20)).toBe(false);
  });

  it.each(defects)("finds: $name", async (defect) => {
    expect(await finderOf(end, defect)).toBeDefined();
  });
}
