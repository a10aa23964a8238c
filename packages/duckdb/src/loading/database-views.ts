import { DuckDBInstance } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";

/**
 * Refuses the views of a DuckDB file that a source cannot have, because they read other files or databases.
 * @throws {SourceError} with the name of the first one
 */
export async function refuseForeignViews(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY", enable_external_access: "false" });
  const connection = await instance.connect();
  try {
    const views = await connection.runAndReadAll(
      `SELECT schema_name, view_name FROM duckdb_views()
       WHERE database_name = current_database() AND NOT internal ORDER BY ALL`,
    );
    for (const [schema, view] of views.getRows()) {
      await connection.run(`DESCRIBE FROM ${quotedName(String(schema), String(view))}`).catch((cause: Error) => {
        const [reason = ""] = cause.message.split("\n");
        throw new SourceError(
          `View that reads more than its file: ${schema}.${view} of ${path} (${reason}); load what it reads now with --table ${view} and --schema ${schema}, or drop the view`,
          { cause },
        );
      });
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
