// A mock in a process of its own, one of whose files has a defect; its clock goes on by as much as it is told.

import { registerHooks } from "node:module";

const [file = "", from = "", to = ""] = process.argv.slice(2);

// It is built as a few large files, so that its sources take the defects.
const source = (entry: string): string => new URL(`../../../mock-server/src/${entry}.ts`, import.meta.url).href;
const sources = new Map([
  ["@quern/mock-server", source("index")],
  ["@quern/mock-server/listen", source("listen")],
]);

registerHooks({
  resolve(specifier, context, next) {
    return next(sources.get(specifier) ?? specifier, context);
  },
  load(url, context, next) {
    const loaded = next(url, context);
    if (file === "" || url !== file) return loaded;
    return { ...loaded, source: String(loaded.source).replace(from, () => to) };
  },
});

const { createMockServer } = await import("@quern/mock-server");
const { listen } = await import("@quern/mock-server/listen");
const { script } = await import("../differential/mock-side.ts");
const { scriptedFailure } = await import("../differential/side.ts");
const mock = createMockServer({
  apiKey: "any key",
  clock: { startAt: Date.UTC(2026, 10, 20, 9, 30) },
  onError: () => {},
});
mock.when("select 1 as n").rows([{ n: 1 }]);
script(mock, scriptedFailure);
const { url } = await listen(mock);
process.on("message", (ms: number) => {
  mock.clock.advance(ms);
  process.send?.("advanced");
});
process.on("disconnect", () => process.exit());
process.send?.(url);
