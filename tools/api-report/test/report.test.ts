import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { apiReport } from "../src/report.ts";

/** Writes the built files of a package to a new folder. */
function packageOf(manifest: object, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "quern-api-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "dist", name), text);
  return folder;
}

const types = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` });

it("shows what a package exports, and the types that this uses", () => {
  const folder = packageOf(
    {
      name: "@quern/sample",
      exports: { ".": types("index"), "./extra": types("extra"), "./data.json": "./data.json" },
    },
    {
      "index.d.ts": `import { type Row } from "./row.ts";
        export { read as readRow } from "./row.ts";
        export { Table } from "other";
        export * from "./all.ts";
        export type * from "@quern/protocol/types";
        /** Comments are left out. */
        export declare function open(row: Row): import("./row.ts").Handle;
        export declare function open(row: string): void;
        declare const hidden: unique symbol;
        export interface Options { readonly [hidden]?: Row; }
      `,
      "row.d.ts": `import type { Buffer as Bytes } from "buffer";
        export interface Row extends Base { readonly bytes: Bytes; }
        interface Base { readonly next?: Row; }
        interface Unused {}
        export declare class Handle { close(): void; }
        export declare function read(): Row;
      `,
      "all.d.ts": `declare const LIMIT: 5; type Limit = typeof LIMIT; export { LIMIT, type Limit as Bound };`,
      "extra.d.ts": `export { open } from "./index.ts";`,
    },
  );
  expect(apiReport(folder)?.split("\n").slice(5).join("\n")).toBe(`## \`@quern/sample\`

\`\`\`ts
export type * from "@quern/protocol/types";
type Limit = typeof LIMIT;
export { Limit as Bound };
export const LIMIT: 5;
export interface Options {
  readonly [hidden]?: Row;
}
export { Table } from "other";
export function open(row: Row): import("./row.ts").Handle;
export function open(row: string): void;
function read(): Row;
export { read as readRow };
\`\`\`

## \`@quern/sample/extra\`

\`\`\`ts
export { open } from "@quern/sample";
\`\`\`

## Used above, not exported

\`\`\`ts
interface Base {
  readonly next?: Row;
}
class Handle {
  close(): void;
}
interface Row extends Base {
  readonly bytes: Bytes;
}
const hidden: unique symbol;
\`\`\`

## Used above, of other packages

\`\`\`ts
import {
  Buffer,
} from "buffer";
\`\`\`
`);
});

it("needs a build, and has no report for a package without types", () => {
  expect(apiReport(packageOf({ name: "quern" }, {}))).toBeUndefined();
  expect(() => apiReport(packageOf({ name: "@quern/sample", exports: { ".": types("index") } }, {}))).toThrow(
    /^Missing file: .*index\.d\.ts; build the package$/,
  );
});
