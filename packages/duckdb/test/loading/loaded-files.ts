import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { LoadRequest } from "../../src/loading.ts";
import "../../src/engine/package-corrections.ts";
import { parseLoadRequest } from "../../src/loading/request.ts";
import { loadTables } from "../../src/loading/tables.ts";

type Options = Omit<LoadRequest, "from">;
type Contents = Readonly<Record<string, string | Buffer>>;

/** Prepares an engine for the loads of a test file, and returns functions to make files and load them. */
export function useLoader() {
  let folder: string;
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  let made = 0;
  beforeAll(async () => {
    folder = await temporaryDirectory();
    instance = await DuckDBInstance.create(join(folder, "shop.duckdb"), { autoinstall_known_extensions: "false" });
    connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
  });
  afterAll(async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  });

  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  return {
    /** Runs SQL on the engine. */
    rowsOf,
    /** Returns the path of a file that a statement of the engine writes. */
    async written(sql: (path: string) => string, name: string): Promise<string> {
      const path = join(folder, `${++made}-${name}`);
      await connection.run(sql(path));
      return path;
    },
    /** Loads files of a new folder, given by name, as the table `t`, and returns its rows as the engine shows them. */
    async loaded(files: Contents, options: Options = {}, from = "") {
      const directory = join(folder, `files-${++made}`);
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(directory, name, ".."), { recursive: true });
        await writeFile(join(directory, name), content);
      }
      const workDirectory = join(folder, `work-${made}`);
      await mkdir(workDirectory);
      const schema = `s${made}`;
      const only = Object.keys(files).length === 1 ? Object.keys(files)[0] : "";
      const request = { from: join(directory, from || (only ?? "")), as: `${schema}.t`, ...options };
      // As the manifest of a source stores it.
      const load = JSON.parse(JSON.stringify(await parseLoadRequest("shop", request, new Date().toISOString())));
      const report = await loadTables({ connection, catalog: "shop", workDirectory }, load);
      if (report === undefined) throw new Error("Invalid load: files have a report.");
      const read = async (sql = "FROM t") => {
        await connection.run(`USE shop.${schema}`);
        return rowsOf(sql);
      };
      return { report, read, rows: await read() };
    },
  };
}

/** Types of the columns of the table `t`. */
export const typesOf = `SELECT list(data_type ORDER BY column_index) FROM duckdb_columns()
  WHERE table_name = 't' AND schema_name = current_schema()`;
