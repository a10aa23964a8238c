import { resolve } from "node:path";
import { type JsonFlag, jsonFlag, withoutDefault } from "../flags.ts";
import { settingTable } from "../generated/settings.ts";
import { type FormatFlags, formatFlags } from "../output/flags.ts";

const dataDirFlag = {
  kind: "parsed",
  // Resolved against the current folder of the command: an absolute path means the same in any process.
  parse: (folder: string) => resolve(folder),
  default: settingTable.dataDir.default,
  placeholder: "folder",
} as const;

export interface DataDirFlags extends JsonFlag {
  readonly dataDir: string;
}

/** Flags of commands that use the store of the service, which the settings or the data directory name. */
export interface StoreFlags extends DataDirFlags {
  readonly config?: string;
}

export type StoreListFlags = StoreFlags & FormatFlags;

export const configFlag = {
  config: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "JSON file of settings. Default: the file that QUERN_CONFIG names.",
  },
} as const;

/** Flags of commands that administer a data directory. */
export const dataDirFlags = {
  dataDir: { ...dataDirFlag, brief: "Data directory of the service. The service may be running." },
  ...jsonFlag,
} as const;

/** Flags of commands that read or change the store of the service. */
export const storeFlags = {
  ...dataDirFlags,
  config: {
    ...configFlag.config,
    brief:
      "JSON file of settings, which names the store if it is not in the data directory. Default: the file that QUERN_CONFIG names.",
  },
} as const;

/** Flags of commands that list records of the store. */
export const storeListFlags = { ...storeFlags, ...formatFlags };

/** Flag for the data directory without a default, for commands whose settings may name the directory. */
export const optionalDataDirFlag = withoutDefault(dataDirFlag);

/** Returns the brief of a flag that sets a setting. */
export function settingBrief(name: keyof typeof settingTable): string {
  const { text, defaultText } = settingTable[name];
  return `${text} Default: ${defaultText}.`;
}

/** Flag of one setting of the service, as `name=value`. */
export const setFlag = {
  set: {
    kind: "parsed",
    parse: parseSetting,
    optional: true,
    variadic: true,
    placeholder: "name=value",
    brief: "Setting of the service, such as limits.maxRunningRuns=4; may be repeated.",
  },
} as const;

function parseSetting(text: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new RangeError("expected name=value");
}
