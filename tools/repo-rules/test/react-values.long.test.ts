import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Packed, pack, run } from "../src/packed.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { catalogVersion } from "../src/tree.ts";

const names = ["json-rpc", "protocol", "client", "react"];
let packed: Packed;
let project: string;
let service: Service;

beforeAll(async () => {
  packed = pack(names.map((name) => `packages/${name}`));
  const catalog = ["@tanstack/react-query", "react", "react-dom"].map((name) => [name, catalogVersion(name)]);
  const besides = {
    ...Object.fromEntries(catalog),
    "@tanstack/query-async-storage-persister": "5.104.5",
    "@tanstack/query-sync-storage-persister": "5.104.4",
    "@tanstack/react-query-persist-client": "5.104.5",
    "react-server-dom-webpack": catalogVersion("react"),
    superjson: "2.2.7",
    webpack: "5.113.0",
  };
  [project = ""] = packed.install({ of: "packages/react", besides });
  cpSync(fileURLToPath(new URL("./react-values", import.meta.url)), project, { recursive: true });
  service = await start("serve", "--data-dir", join(packed.folder, "data"));
});
afterAll(async () => {
  await service?.stop();
  packed?.[Symbol.dispose]();
});

const environment = () => ({ QUERN_URL: service.url, QUERN_API_KEY: API_KEY });

it("persisters of TanStack Query keep rows and parameters as they are", () => {
  const { status, stdout } = run(process.execPath, ["--test", "persisted.test.mjs"], project, environment());
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/^. pass 4$/m);
});

it("a server component passes requests and rows to a page as they are, also rows that arrive later", () => {
  const script = `set -o pipefail
    "${process.execPath}" --conditions react-server --import ./client-modules.mjs server.mjs | "${process.execPath}" browser.mjs`;
  const { status, stdout, stderr } = run("bash", ["-c", script], project, environment());
  expect(status, stderr).toBe(0);
  expect(stdout).toBe("<p>equal</p>".repeat(3));
});
