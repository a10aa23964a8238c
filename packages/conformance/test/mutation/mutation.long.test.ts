import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conform } from "../../src/index.ts";
import { actions } from "../differential/action.ts";
import { differenceOf } from "../differential/difference.ts";
import { mockSide } from "../differential/mock-side.ts";
import { post } from "../differential/server-side.ts";
import type { Side } from "../differential/side.ts";
import { type Defect, defects } from "./defects.ts";

const packages = new URL("../../../", import.meta.url);
const mutant = fileURLToPath(new URL("mutant.ts", import.meta.url));
const apiKey = "any key";
const seed = 7;

interface Mutant extends Side, Disposable {
  readonly url: string;
}

async function startMutant(defect?: Defect): Promise<Mutant> {
  const patch = defect === undefined ? [] : [new URL(defect.file, packages).href, defect.from, defect.to];
  const child = fork(mutant, patch, { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const [url] = await Promise.race([once(child, "message"), once(child, "exit")]);
  const agent = new Agent({ keepAlive: true });
  return {
    name: "mutant",
    url,
    post: (body) => post(url, apiKey, body, agent),
    async advance(ms) {
      child.send(ms);
      await once(child, "message");
    },
    [Symbol.dispose]() {
      agent.destroy();
      child.kill();
    },
  };
}

/** What finds the defect: a check of a server, or the comparison with a service that has none. */
async function finderOf(defect?: Defect): Promise<string | undefined> {
  using side = await startMutant(defect);
  let finder: string | undefined;
  await conform({
    url: side.url,
    apiKey,
    seed,
    timeoutMs: 3000,
    only: () => finder === undefined,
    onResult: ({ id, outcome }) => {
      if (outcome === "failed") finder ??= id;
    },
  });
  if (finder !== undefined) return finder;
  const right = mockSide(Date.UTC(2026, 10, 20, 9, 30));
  const same = fc.asyncProperty(actions, async (all) => (await differenceOf(all, [side, right])) === undefined);
  const { failed } = await fc.check(same, { seed, numRuns: 200, endOnFailure: true });
  return failed ? "the differential test" : undefined;
}

describe("the kit", () => {
  it("finds nothing where there is no defect", async () => {
    expect(await finderOf()).toBeUndefined();
  });

  it("is put to at least 40 defects, each of which is there to be made", () => {
    expect(defects.length).toBeGreaterThanOrEqual(40);
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
    const stale = defects.filter(({ file, from }) => !readFileSync(new URL(file, packages), "utf8").includes(from));
    expect(stale.map(({ name }) => name)).toEqual([]);
  });

  it.each(defects)("finds out that $name", async (defect) => {
    expect(await finderOf(defect)).toBeDefined();
  });
});
