import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bounded } from "./measure.ts";

const README = fileURLToPath(new URL("../../../README.md", import.meta.url));
const TABLE = /(<!-- sizes -->\n)[\s\S]*?(<!-- \/sizes -->)/;

interface Bundle {
  readonly label: string;
  readonly code: string;
  /** Packages that are counted elsewhere: peers, and packages with their own row. */
  readonly external?: readonly string[];
  /** Maximum size, gzipped, in bytes. */
  readonly atMost?: number;
}

const BUNDLES: readonly Bundle[] = [
  {
    label: "@quern/client, a method and its errors",
    code: 'export { getQueryRun, isErrorOf, QuernError } from "@quern/client";',
    atMost: 1_000,
  },
  {
    label: "@quern/client, all behind query()",
    code: 'export { query } from "@quern/client";',
    atMost: 4_000,
  },
  {
    label: "@quern/client, a client and a method",
    code: 'export { createClient, getQueryRun } from "@quern/client";',
  },
  {
    label: "@quern/client, a client, query() and rows",
    code: 'export { createClient, query, rowsOf } from "@quern/client";',
  },
  { label: "@quern/client/flipside", code: 'export { Flipside } from "@quern/client/flipside";' },
  {
    label: "@quern/react",
    code: 'export * from "@quern/react";',
    external: ["react", "react/*", "@tanstack/*", "@quern/client"],
    atMost: 4_000,
  },
  { label: "@quern/mock-server", code: 'export { createMockServer } from "@quern/mock-server";' },
  { label: "@flipsidecrypto/sdk", code: 'export { Flipside } from "@flipsidecrypto/sdk";' },
  { label: "openapi-fetch", code: 'export { default } from "openapi-fetch";' },
  { label: "@trpc/client", code: 'export { createTRPCClient, httpBatchLink } from "@trpc/client";' },
  { label: "viem, http", code: 'export { createClient, http } from "viem";' },
  {
    label: "@connectrpc/connect-web",
    code: 'export { createClient } from "@connectrpc/connect"; export { createConnectTransport } from "@connectrpc/connect-web";',
  },
];

interface Row {
  readonly name: string;
  readonly purpose: string;
  /** Label of the bundle in the row of a package; undefined for packages for Node only. */
  readonly bundle?: string;
}

const ROWS: readonly Row[] = [
  {
    name: "client",
    purpose: "a typed client: queries, pages, batches, one error type",
    bundle: "@quern/client, a client, query() and rows",
  },
  { name: "react", purpose: "options factories and hooks on TanStack Query", bundle: "@quern/react" },
  { name: "cli", purpose: "`quern`: every method a command, queries as tables, CSV or JSON" },
  { name: "mock-server", purpose: "a stateful service in memory for your tests", bundle: "@quern/mock-server" },
  { name: "server", purpose: "the service, on SQLite and DuckDB" },
  { name: "duckdb", purpose: "the embedded engine: statements in locked processes, pages, downloads" },
  { name: "adapter", purpose: "what a data source, a store and a result store of the service must do" },
  { name: "conformance", purpose: "tests any server against the contract, any client on a bad network" },
  { name: "query-run", purpose: "what a run is: transitions, reuse, retention, pages" },
  { name: "protocol", purpose: "types, descriptors, errors and validators of the methods" },
  { name: "json-rpc", purpose: "JSON-RPC 2.0: envelope, handler, fetch and Node doors" },
];

async function gzipped({ code, external = [] }: Bundle): Promise<{ minified: number; gzip: number }> {
  const result = await build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    external: [...external],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const bytes = result.outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

/** Prints the size of each bundle. With `write`, updates the table of packages in the root README. */
export async function sizes({ write }: { readonly write: boolean }): Promise<void> {
  const measured = new Map<string, number>();
  for (const bundle of BUNDLES) {
    const { minified, gzip } = await gzipped(bundle);
    measured.set(bundle.label, gzip);
    console.log(
      `${bundle.label.padEnd(42)} ${String(minified).padStart(8)} B minified ${String(gzip).padStart(7)} B gzip`,
    );
  }
  for (const { label, atMost } of BUNDLES) {
    if (atMost !== undefined) bounded({ what: label, value: measured.get(label) ?? Number.NaN, atMost, unit: " B" });
  }
  if (write) writeFileSync(README, readFileSync(README, "utf8").replace(TABLE, `$1${table(measured)}$2`));
}

function table(measured: ReadonlyMap<string, number>): string {
  const head = "\n| package | what it is for | in a browser, gzip |\n| --- | --- | ---: |\n";
  const rows = ROWS.map(({ name, purpose, bundle }) => {
    const bytes = bundle === undefined ? undefined : measured.get(bundle);
    const size = bytes === undefined ? "" : `${(bytes / 1000).toFixed(1)} kB`;
    return `| [\`@quern/${name}\`](packages/${name}/README.md) | ${purpose} | ${size} |\n`;
  });
  return `${head}${rows.join("")}\n`;
}
