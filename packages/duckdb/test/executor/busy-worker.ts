// Process that runs no statement, and reports that each one took 50 s of processor time.
import { mkdirSync, writeFileSync } from "node:fs";
import { serveParent } from "../../src/processes/serving.ts";

let statements = 0;
serveParent({
  open: async () => {},
  async execute() {
    statements += 1;
    mkdirSync("out", { recursive: true });
    writeFileSync("out/result.parquet", "");
    return { path: `${process.cwd()}/out/result.parquet`, columns: [], rowCount: 0 };
  },
  finish: async () => ({ isClean: true, processorSeconds: 50 * statements }),
});
