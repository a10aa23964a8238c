import { resolve } from "node:path";
import { type JsonFlag, jsonFlag, withoutDefault } from "../flags.ts";
import { type FormatFlags, formatFlags } from "../output/flags.ts";

/** Default of the data directory, in the folder in which the command was typed. */
export const defaultDataDir = "quern-data";

const dataDirFlag = {
  kind: "parsed",
  // Relative to the folder in which the command was typed: the service may have another one.
  parse: (folder: string) => resolve(folder),
  default: defaultDataDir,
  placeholder: "folder",
} as const;

export interface DataDirFlags extends JsonFlag {
  readonly dataDir: string;
}

export type ListFlags = DataDirFlags & FormatFlags;

/** The flags of commands that work on a data directory. */
export const dataDirFlags = {
  dataDir: { ...dataDirFlag, brief: "The data directory of the service, which may be running." },
  ...jsonFlag,
} as const;

/** The flags of commands that list what a data directory holds. */
export const listFlags = { ...dataDirFlags, ...formatFlags };

/** The flag of commands whose settings may name the data directory. */
export const optionalDataDirFlag = withoutDefault(dataDirFlag);

/** The flag of one setting of the service, as `name=value`. */
export const setFlag = {
  set: {
    kind: "parsed",
    parse: parseSetting,
    optional: true,
    variadic: true,
    placeholder: "name=value",
    brief: "A setting of the file, such as limits.maxRunningRuns=4; may be repeated.",
  },
} as const;

function parseSetting(text: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new RangeError(`expected name=value, received ${text}`);
}

export const configFlag = {
  config: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "JSON file of settings. Default: QUERN_CONFIG.",
  },
} as const;
