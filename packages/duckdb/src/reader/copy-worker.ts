/**
 * Process that writes one sorted copy. A sort can ignore an interrupt for seconds, so the process is killed instead.
 */
import { join } from "node:path";
import { ownDirectory } from "../processes/child-directory.ts";
import { serveParent } from "../processes/serving.ts";
import { openEngine } from "../results/engine.ts";
import { resultFiles } from "../results/result-files.ts";
import { jsonMacros } from "./json-cell.ts";
import { sortedQuery } from "./page-query.ts";
import { type CopyTask, sortedCopyName } from "./task.ts";

async function copy({ task, ...limits }: CopyTask): Promise<void> {
  const connection = await (await openEngine(limits)).connect();
  const { text, values, types } = sortedQuery(
    { ...task, files: resultFiles(task.paths) },
    join(ownDirectory, sortedCopyName),
  );
  for (const macro of jsonMacros) await connection.run(macro);
  await connection.run(text, values, types);
}

serveParent({ copy: (argument) => copy(argument as CopyTask) }); // sent by `sorted-copy.ts`
