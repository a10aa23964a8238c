import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { QueryRun } from "@quern/protocol/types";
import { expect } from "vitest";
import { startServer, type TestServer, temporaryDirectory } from "../fixture.ts";
import { type Caller, caller } from "../identity/callers.ts";
import type { HostileStatement, Places } from "./statements.ts";

const marker = "nobody may read this";
const neighbourSql = "select count(*) as n from range(20000000) t(i) where hash(i) % 2 < 2";

/** A server under attack by one tenant, and what another tenant has there. */
export interface Battlefield extends AsyncDisposable {
  /** Runs statements beside a run of another tenant, and sees to it that nobody gets out. */
  attack(...statements: readonly HostileStatement[]): Promise<readonly QueryRun[]>;
}

export async function createBattlefield(): Promise<Battlefield> {
  const server = await startServer({
    limits: {
      memoryMegabytes: 200,
      spillMegabytes: 200,
      maxResultBytes: 50_000_000,
      statementTimeoutSeconds: 10,
      maxRunningRuns: 4,
    },
  });
  const neighbour = await caller(server, { tenant: "neighbour", user: "neighbour" });
  const { places, unchanged } = await furnish(server, neighbour);
  return {
    async attack(...statements) {
      const attacks = statements.map(({ sql }) => server.run(sql(places)));
      const [beside, ...runs] = await Promise.all([runOf(neighbour, neighbourSql), ...attacks]);
      expect(beside).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1 });
      expect(JSON.stringify(runs)).not.toContain(marker);
      expect(await unchanged()).toBe(true);
      return runs;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function furnish(server: TestServer, neighbour: Caller) {
  const outside = await temporaryDirectory();
  const secret = join(outside, "secret.csv");
  await writeFile(secret, `${marker}\n`);
  const work = join(server.dataDir, "work");
  const link = join(work, "link");
  await mkdir(work, { recursive: true });
  await symlink(secret, link);
  expect(await runOf(neighbour, `select '${marker}' as secret`)).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  const results = join(server.dataDir, "results");
  const [stored = ""] = await readdir(results);
  expect(stored).toMatch(/\.parquet$/);
  const data = join(outside, "data.duckdb");
  const places: Places = { secret, outside, work, link, data, result: join(results, stored) };
  const before = (await readdir(outside)).join();
  const top = (await readdir(server.dataDir)).sort().join();
  const unchanged = async () =>
    (await readdir(outside)).join() === before && (await readdir(server.dataDir)).sort().join() === top;
  return { places, unchanged };
}

async function runOf({ call }: Caller, sql: string): Promise<QueryRun> {
  const { result } = await call("createQueryRun", { sql, waitSeconds: 30 });
  return result?.queryRun as QueryRun; // the service answers what its types say
}
