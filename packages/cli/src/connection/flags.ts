import { parseFile, parseSeconds } from "../flags.ts";

/** Default address of the service. */
export const defaultUrl = "http://127.0.0.1:8080";

export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly timeoutSeconds?: number;
}

/** Flags of commands that call a service. The key is not a flag, because other users of the machine can read flags. */
export const connectionFlags = {
  url: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "url",
    brief: `Address of the service. Default: QUERN_URL, else ${defaultUrl}.`,
  },
  apiKeyFile: {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    placeholder: "file",
    brief: "File with the API key. Default: the key in QUERN_API_KEY.",
  },
  timeoutSeconds: {
    kind: "parsed",
    parse: parseSeconds,
    optional: true,
    placeholder: "number",
    brief: "Longest wait for an answer, in seconds. Default: 60.",
  },
} as const;
