import { type JsonFlag, jsonFlag } from "../command-function.ts";
import { type Format, formats } from "../output/format.ts";
import { dataDirFlag } from "./data-directory.ts";
import { fullFlag } from "./result-flags.ts";

export interface PlaceFlags extends JsonFlag {
  readonly dataDir: string;
}

export interface FormatFlags extends JsonFlag {
  readonly format?: Format;
  readonly full: boolean;
}

export type RowsFlags = PlaceFlags & FormatFlags;

const dataDir = { ...dataDirFlag, brief: "The data directory of the service, which may be running." } as const;

/** The flags of commands that work on a data directory. */
export const placeFlags = { dataDir, ...jsonFlag };

/** The flags of commands that print rows. */
export const formatFlags = {
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Form of the rows. Default: table on a terminal, json with --json, else jsonl.",
  },
  ...fullFlag,
  ...jsonFlag,
} as const;

export const rowsFlags = { ...placeFlags, ...formatFlags };
