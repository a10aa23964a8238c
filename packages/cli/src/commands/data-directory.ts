import { resolve } from "node:path";

export const defaultDataDir = "quern-data";

/** The flag of the commands that work on the files of a service on this machine. */
export const dataDirFlag = {
  kind: "parsed",
  // Relative to the folder in which the command was typed, whoever opens it later.
  parse: (folder: string) => resolve(folder),
  default: defaultDataDir,
  placeholder: "folder",
} as const;
