import { readFile } from "node:fs/promises";
import { hashOf, nameIn, readSnapshot } from "./snapshot.ts";
import { readStatement, type StatementFiles } from "./statement-files.ts";
import { typedFileText } from "./typed-file.ts";

/** File that differs from what `quern types` would write. */
export interface StaleFile {
  readonly file: string;
  readonly reason: string;
}

/** Compares the files with a snapshot, without a service. */
export async function staleFiles(files: StatementFiles, snapshotFile: string): Promise<readonly StaleFile[]> {
  const snapshot = await readSnapshot(snapshotFile);
  const stale: StaleFile[] = files.orphans.map((file) => ({ file, reason: "its statement does not exist any more" }));
  for (const file of files.statements) {
    const name = nameIn(snapshotFile, file);
    const entry = Object.hasOwn(snapshot, name) ? snapshot[name] : undefined;
    const sql = await readStatement(file);
    if (entry === undefined) stale.push({ file, reason: `it is not in the snapshot ${snapshotFile}` });
    else if (entry.sha256 !== hashOf(sql)) stale.push({ file, reason: "it has changed since its types were written" });
    else {
      const text = await readFile(`${file}.ts`, "utf8").catch(() => undefined);
      const expected = typedFileText(file, sql, entry);
      if (text === undefined) stale.push({ file: `${file}.ts`, reason: "it does not exist" });
      else if (text.replaceAll("\r\n", "\n") !== expected)
        stale.push({ file: `${file}.ts`, reason: "it differs from the snapshot" });
    }
  }
  return stale;
}
