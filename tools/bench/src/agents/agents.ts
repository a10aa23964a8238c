import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { bounded, elapsed } from "../measure.ts";
import { startService } from "../service.ts";
import { QUESTIONS, SECRET, TABLES } from "./questions.ts";
import { startMotherDuck, startQuern } from "./servers.ts";

const SLOW_MS = 70_000;

/** Puts fifteen questions of an agent to `quern mcp` and to MotherDuck's MCP server on one DuckDB file, and prints a table. */
export async function agents(): Promise<void> {
  const environment = await createPythonEnvironment("mcp-server-motherduck==1.1.0");
  if ("lacks" in environment) return void console.log(`not measured: the machine lacks ${environment.lacks}`);
  await using service = await startService();
  const file = join(service.dataDir, "sources/bench.duckdb");
  mkdirSync(join(file, ".."), { recursive: true });
  await inDatabase(file, ...TABLES);
  const circumstances = {
    secret: join(service.folder, "secret.txt"),
    target: join(service.folder, "written.csv"),
    slowSql: await slowSql(),
    async change() {
      const changed = join(service.folder, "changed.duckdb");
      copyFileSync(file, changed);
      await inDatabase(
        changed,
        "INSERT INTO events SELECT max(id) + 1 + range, 'new' FROM events, range(50) GROUP BY range",
      );
      renameSync(changed, file);
    },
  };
  writeFileSync(circumstances.secret, SECRET);
  await using quern = await startQuern(service);
  await using motherDuck = await startMotherDuck(environment.python, file);
  const both = [quern, motherDuck];
  console.log(`| Question | ${both.map(({ name }) => name).join(" | ")} |\n|${" --- |".repeat(3)}`);
  const lists = both.map(({ toolCharacters }) => `${number(toolCharacters)} characters`);
  console.log(`| List of the tools | ${lists.join(" | ")} |`);
  const failures: string[] = [];
  for (const { name, ask } of QUESTIONS) {
    const cells: string[] = [];
    for (const agent of both) {
      const outcome = await ask(agent, circumstances).catch((error: unknown) => `failed (${error})`);
      const { calls, characters, statements } = agent.taken();
      cells.push(`${outcome}: ${calls} / ${number(characters)} / ${statements}`);
      if (agent === quern && /wrong|silently|not refused|failed/.test(outcome)) failures.push(name);
    }
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  bounded({ what: "answers of Quern that are wrong or cut silently", value: failures.length, atMost: 0 });
}

const number = (value: number): string => value.toLocaleString("en-US");

/** Returns a statement of at least about {@link SLOW_MS} on this machine. */
async function slowSql(): Promise<string> {
  const sql = (steps: number): string =>
    `WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < ${steps}) SELECT max(i) FROM t`;
  const steps = 40_000;
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) times.push(await elapsed(() => inDatabase(":memory:", sql(steps))));
  return sql(Math.round((steps * SLOW_MS) / Math.min(...times))); // the fastest, so that other load only makes it slower
}

async function inDatabase(path: string, ...statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const sql of statements) await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}
