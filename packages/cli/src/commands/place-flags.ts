import { jsonFlag } from "../command-function.ts";
import { formats } from "../output/format.ts";
import { dataDirFlag } from "./data-directory.ts";

const dataDir = { ...dataDirFlag, brief: "The data directory of the service, which may be running." } as const;

/** The flags of commands that work on a data directory. */
export const placeFlags = { dataDir, ...jsonFlag };

/** The same for commands that print rows. */
export const rowsFlags = {
  ...placeFlags,
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Form of the rows; a table on a terminal, else jsonl.",
  },
} as const;
