import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { Corpus, ExpectedFailures } from "./corpus.ts";
import { type Contract, createContract } from "./document.ts";

/** Folder of the installed `@quern/spec`. */
const spec = new URL(".", import.meta.resolve("@quern/spec/package.json"));

/** Reads a file of `@quern/spec`. Its tests check the shape, so the type is asserted. */
async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(new URL(path, spec), "utf8")) as T;
}

/** Reads the OpenRPC document of `@quern/spec`. */
export function readDocument(): Promise<unknown> {
  return readJson("openrpc.json");
}

/** Reads the OpenRPC document synchronously, for modules that need it while they load. */
export function readDocumentSync(): unknown {
  return JSON.parse(readFileSync(new URL("openrpc.json", spec), "utf8"));
}

let contract: Promise<Contract> | undefined;

/**
 * Returns the contract of the OpenRPC document of `@quern/spec`. It is created once, because compiling its schemas takes
 * longer than a run of a few checks.
 */
export function readContract(): Promise<Contract> {
  contract ??= readDocument().then(createContract);
  return contract;
}

/** Reads the expected failures of `@quern/spec`. */
export function readExpectedFailures(): Promise<ExpectedFailures> {
  return readJson("conformance/expected-failures.json");
}

/** Reads all corpora of `@quern/spec`: the hand-written ones, then those generated from the OpenRPC document. */
export async function readCorpora(): Promise<readonly Corpus[]> {
  const generated = await readdir(new URL("conformance/generated/", spec)).catch(() => []);
  const names = generated.filter((name) => name.endsWith(".json")).sort();
  const written = ["json-rpc", "http", "robustness", "openrpc", "service"].map((name) => `${name}.json`);
  const paths = [...written, ...names.map((name) => `generated/${name}`)];
  return Promise.all(paths.map((path) => readJson<Corpus>(`conformance/${path}`)));
}
