import { parseSeconds } from "../flags.ts";

/** Address of the service. */
export const defaultUrl = "http://127.0.0.1:8080";

export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly timeoutSeconds?: number;
}

/** The flags of every command that talks to a service. A key is never a flag: flags are seen by every user of a machine. */
export const connectionFlags = {
  url: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "url",
    brief: `Address of the service; without it QUERN_URL, else ${defaultUrl}.`,
  },
  apiKeyFile: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "File that holds the API key; without it QUERN_API_KEY.",
  },
  timeoutSeconds: {
    kind: "parsed",
    parse: parseSeconds,
    optional: true,
    placeholder: "number",
    brief: "Stop waiting for the answer after this long; 60 by default.",
  },
} as const;
