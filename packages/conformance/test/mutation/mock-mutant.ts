// Runs a mock with a defect in its own process. A message advances its clock by that number of milliseconds.

import { registerHooks } from "node:module";
import { patchSource } from "./patch.ts";

// Defects name source files, because the built mock is bundled.
const source = (entry: string): string => new URL(`../../../mock-server/src/${entry}.ts`, import.meta.url).href;
const sources = new Map([
  ["@quern/mock-server", source("index")],
  ["@quern/mock-server/listen", source("listen")],
]);
registerHooks({ resolve: (specifier, context, next) => next(sources.get(specifier) ?? specifier, context) });
patchSource(process.argv.slice(2));

const { createMockServer } = await import("@quern/mock-server");
const { listen } = await import("@quern/mock-server/listen");
const { corpusStubs } = await import("../stubs.ts");
const { script } = await import("../differential/mock-side.ts");
const { scriptedFailure } = await import("../differential/side.ts");
const mock = createMockServer({
  apiKey: "a key of the tests",
  clock: { startAt: Date.UTC(2026, 10, 20, 9, 30) },
  onError: () => {},
  stubs: corpusStubs,
});
script(mock, scriptedFailure);
const { url } = await listen(mock);
process.on("message", (ms: number) => {
  mock.clock.advance(ms);
  process.send?.(mock.clock.now());
});
process.on("disconnect", () => process.exit());
process.send?.(url);
