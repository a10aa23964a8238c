import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Case, Corpus } from "../../../packages/conformance/src/server/corpus.ts";
import { bodyBytes } from "../../../packages/conformance/src/server/request-body.ts";
import type { ServedMethod } from "../../../packages/json-rpc/src/method.ts";
import { workingSeeds } from "./seeds/working-seeds.ts";
import { callsProgram, commandsProgram } from "./support/seed-programs.ts";
import { copyTree, type Outcome } from "./support/tree-copy.ts";
import { writeUser } from "./support/user-package.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const tree = copyTree();
afterAll(() => tree[Symbol.dispose]());

let generated: Outcome;
let compiled: Outcome;
const titles = workingSeeds.map(({ title }) => title);
const expected = new Map(workingSeeds.map(({ title, result }) => [title, result]));

/** Returns the answers of a program, by the title of the seed. */
async function answersOf(program: string): Promise<ReadonlyMap<string, unknown>> {
  const { output } = await tree.run(`packages/user/dist/${program}.js`);
  const answers: readonly unknown[] = JSON.parse(output);
  return new Map(titles.map((title, index) => [title, answers[index]]));
}

// Returns Quern's document with all seeds, because the hand-written code of the packages needs its methods.
beforeAll(async () => {
  const spec = JSON.parse(tree.read("spec/openrpc.json"));
  for (const { method, schemas } of workingSeeds) {
    spec.methods.push(method);
    Object.assign(spec.components.schemas, schemas);
  }
  tree.write("spec/openrpc.json", JSON.stringify(spec));
  generated = await tree.run(main, "--spec", join(tree.root, "spec/openrpc.json"), "--out", tree.root);
  writeUser(tree, { "calls.ts": callsProgram(workingSeeds), "commands.ts": commandsProgram(workingSeeds) });
  compiled = await tree.compile(
    "protocol",
    "query-run",
    "client",
    "mock-server",
    "query-options",
    "react",
    "cli",
    "user",
  );
});

describe("documents that only look like mistakes", () => {
  it("generate and compile, with their calls", () => {
    expect(generated).toEqual({ status: 0, output: expect.stringContaining("wrote ") });
    expect(compiled).toEqual({ status: 0, output: "" });
  });

  it("work through their functions", async () => expect(await answersOf("calls")).toEqual(expected));

  it("work through their commands", async () => expect(await answersOf("commands")).toEqual(expected));

  it("have query options only if they are read-only", () => {
    const options = tree.read("packages/query-options/src/generated/options.ts");
    const reading = workingSeeds.filter(({ method }) => method["x-read-only"] === true);
    const offered = workingSeeds.filter(({ identifier }) => options.includes(`const ${identifier}Options:`));
    expect(offered.map(({ title }) => title)).toEqual(reading.map(({ title }) => title));
  });

  it("have a corpus on which the generated validators agree, and ids of their own", async () => {
    const folder = join(tree.root, "spec/conformance/generated");
    const cases = readdirSync(folder).flatMap((file) => {
      const corpus: Corpus = JSON.parse(tree.read(`spec/conformance/generated/${file}`));
      return corpus.cases;
    });
    const file = join(tree.root, "packages/protocol/dist/generated/contract.js");
    const { contract }: { contract: Readonly<Record<string, ServedMethod>> } = await import(pathToFileURL(file).href);
    const isRefused = ({ steps: [step] }: Case): boolean => {
      const { method, params } = JSON.parse(bodyBytes(step?.send ?? {}, {}).toString());
      return contract[method]?.params["~standard"].validate(params[0]).issues !== undefined;
    };
    const demandsRefusal = ({ steps: [step] }: Case) => [step?.expect ?? []].flat()[0]?.reply?.error !== undefined;
    expect(cases.filter((one) => isRefused(one) !== demandsRefusal(one)).map(({ id }) => id)).toEqual([]);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it("have a page each in the reference", () => {
    const pages = workingSeeds.map(({ words: [name] }) => join(tree.root, `docs/reference/methods/${name}.md`));
    expect(pages.filter((page) => !existsSync(page))).toEqual([]);
  });
});
