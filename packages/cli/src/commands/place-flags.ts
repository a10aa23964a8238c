import { type JsonFlag, jsonFlag } from "../command-function.ts";
import { type Format, formats } from "../output/format.ts";
import { dataDirFlag } from "./data-directory.ts";

export interface PlaceFlags extends JsonFlag {
  readonly dataDir: string;
}

export interface FormatFlag {
  readonly format?: Format;
}

export type RowsFlags = PlaceFlags & FormatFlag;

const dataDir = { ...dataDirFlag, brief: "The data directory of the service, which may be running." } as const;

/** The flags of commands that work on a data directory. */
export const placeFlags = { dataDir, ...jsonFlag };

/** The flag of commands that print rows. */
export const formatFlag = {
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Form of the rows; a table on a terminal, else jsonl.",
  },
} as const;

export const rowsFlags = { ...placeFlags, ...formatFlag };
