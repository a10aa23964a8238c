/** Process that writes the rows of results as Parquet, one result at a time. It runs no SQL of callers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isStatementError } from "@quern/adapter";
import { columnKind, type WideIntegers, widestNumber } from "../engine/column-type.ts";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { parseStoredType } from "../engine/stored-type.ts";
import { ownDirectory } from "../processes/child-directory.ts";
import { serveParent } from "../processes/serving.ts";
import { cellsOfFile } from "../results/cells.ts";
import { openEngine, type ReadingLimits } from "../results/engine.ts";
import { outputFolder, resultFile } from "../results/output-file.ts";
import { maxCellBytesOf, withinCap } from "../results/result-cap.ts";
import { copyText } from "./row-query.ts";
import type { WriteAnswer, WriteTask } from "./task.ts";
import { writeFailure } from "./write-failure.ts";

const outputDirectory = join(ownDirectory, outputFolder);
let opened: Promise<DuckDBConnection> | undefined;

/** Opens the engine, which the parent asks for first. */
async function open(limits: ReadingLimits): Promise<void> {
  // More threads convert rows no faster, and take up to half more processor time.
  opened = openEngine(limits, 1).then(async (engine) => {
    const connection = await engine.connect();
    // Each result has the same path, and the cache returns blocks of the one before.
    await connection.run("SET enable_external_file_cache = false");
    return connection;
  });
  await opened;
}

async function write(task: WriteTask, signal: AbortSignal): Promise<WriteAnswer> {
  const types = task.columns.map(({ storedType }) => parseStoredType(storedType));
  const columns = task.columns.map((column, index) => ({ ...column, kind: kindOf(types[index]) }));
  mkdirSync(outputDirectory, { recursive: true });
  const connection = await opened;
  if (connection === undefined) throw new Error("the engine is not open");
  const stop = interruptOnAbort(connection, signal);
  const copy = async (wideIntegers: WideIntegers): Promise<number> => {
    const text = copyText(task, types, wideIntegers, task.maxResultRows + 1);
    return (await connection.run(text)).rowsChanged;
  };
  try {
    const written = await withinCap(task, { connection, outputDirectory }, async () => {
      // If an integer does not fit the widest number of Parquet, the rows are written again with text.
      const rowCount = await copy("number").catch((error: unknown) => {
        if (task.isPipe || !String(error).includes(widestNumber)) throw error;
        return copy("text");
      });
      return { rowCount };
    });
    const { rowCount } = written;
    const path = join(ownDirectory, resultFile);
    const cells = await cellsOfFile(connection, { path, rowCount, types }, maxCellBytesOf(task));
    return { columns, rowCount, cells };
  } catch (error) {
    throw isStatementError(error) ? error : writeFailure(error);
  } finally {
    stop();
  }
}

function kindOf(type: Parameters<typeof columnKind>[0] | undefined): ReturnType<typeof columnKind> {
  return type === undefined ? "unknown" : columnKind(type);
}

// The arguments are sent by `writer.ts`.
serveParent({
  open: (argument) => open(argument as ReadingLimits),
  write: (argument, signal) => write(argument as WriteTask, signal),
});
