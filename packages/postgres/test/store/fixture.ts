import { randomBytes } from "node:crypto";
import type { Store } from "@quern/adapter";
import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { type Postgres, startPostgres } from "../../../duckdb/test/sources/postgres.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../src/store/store.ts";

/** PostgreSQL server of a test file, with a database for each test. */
export interface TestServer extends AsyncDisposable {
  readonly postgres: Postgres;
  /** Creates a database with the schema of the store, whose clock a test can set. Returns its URL. */
  createDatabase(): Promise<string>;
}

/** Describes tests on a server of their own. Where PostgreSQL does not start, they are one skipped test with the reason. */
export async function describeOnPostgres(name: string, body: (server: TestServer) => void): Promise<void> {
  const postgres = await startOrSkip(name);
  if (postgres === undefined) return;
  const server = await withTemplate(postgres).catch(async (error: unknown) => {
    await postgres[Symbol.asyncDispose]();
    throw error;
  });
  describe(name, () => {
    afterAll(() => server[Symbol.asyncDispose]());
    body(server);
  });
}

/** Starts PostgreSQL. Where it does not start, it defines a skipped test with the reason, and returns undefined. */
export async function startOrSkip(name: string): Promise<Postgres | undefined> {
  try {
    return await startPostgres();
  } catch (error) {
    it.skip(`${name} does not run here: PostgreSQL does not start: ${String(error).split("\n")[0]}`); // as its name says
    return undefined;
  }
}

/** Prepares the database that those of the tests copy. */
async function withTemplate(postgres: Postgres): Promise<TestServer> {
  const template = urlOf(postgres, "template_of_tests");
  await postgres.run("CREATE DATABASE template_of_tests");
  await (await openStore(template)).close();
  await execute(
    template,
    `CREATE TABLE quern.test_clock (now bigint); INSERT INTO quern.test_clock VALUES (NULL);
    CREATE OR REPLACE FUNCTION quern.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
      AS $$ SELECT coalesce(now, quern.real_ms()) FROM quern.test_clock $$`,
  );
  return {
    postgres,
    async createDatabase() {
      const name = `test_${randomBytes(6).toString("hex")}`;
      await postgres.run(`CREATE DATABASE ${name} TEMPLATE template_of_tests`);
      return urlOf(postgres, name);
    },
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}

/** Returns the URL of a database of a server. */
export function urlOf({ url }: Pick<Postgres, "url">, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Executes statements on a connection of their own. */
export async function execute(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult["rows"]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await (values.length > 0
      ? client.query(text, values)
      : client.query(text));
    return Array.isArray(results) ? [] : results.rows;
  } finally {
    await client.end();
  }
}

/** Opens a store that reclaims runs from the start on. */
export function openStore(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  return createPostgresStore({ url, reclaimDelayMs: 0, ...options });
}
