import { dataDirFlag } from "./data-directory.ts";

/** The same flag, whose default is another place's matter. */
export function optional<Flag extends { readonly default: string }>(flag: Flag) {
  const { default: _, ...rest } = flag;
  return { ...rest, optional: true } as const;
}

/** A data directory that may stand in the settings instead. */
export const maybeDataDirFlag = optional(dataDirFlag);

export const configFlag = {
  config: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "JSON file of settings. Default: QUERN_CONFIG.",
  },
} as const;
