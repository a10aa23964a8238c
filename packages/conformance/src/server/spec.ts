import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { Corpus, ExpectedFailures } from "./corpus.ts";

/** `@quern/spec`, where it is installed. */
const spec = new URL(".", import.meta.resolve("@quern/spec/package.json"));

/** Files of `@quern/spec` are checked by its own tests, so their shape is taken as said. */
async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(new URL(path, spec), "utf8")) as T;
}

/** The OpenRPC document. */
export function readDocument(): Promise<unknown> {
  return readJson("openrpc.json");
}

/** The OpenRPC document, for modules that need it as they are loaded. */
export function readDocumentSync(): unknown {
  return JSON.parse(readFileSync(new URL("openrpc.json", spec), "utf8"));
}

export function readExpectedFailures(): Promise<ExpectedFailures> {
  return readJson("conformance/expected-failures.json");
}

/** Every file of the corpus: the hand-written ones, then what the generator made of the document. */
export async function readCorpora(): Promise<readonly Corpus[]> {
  const generated = await readdir(new URL("conformance/generated/", spec)).catch(() => []);
  const names = generated.filter((name) => name.endsWith(".json")).sort();
  const written = ["json-rpc", "http", "robustness", "openrpc", "service"].map((name) => `${name}.json`);
  const paths = [...written, ...names.map((name) => `generated/${name}`)];
  return Promise.all(paths.map((path) => readJson<Corpus>(`conformance/${path}`)));
}
