import { parseFile, parseName, parseSeconds } from "../flags.ts";
import { defaultUrl } from "../http-address.ts";

export interface ConnectionFlags {
  readonly profile?: string;
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly timeoutSeconds?: number;
}

/** Flags of commands that call a service. The key is not a flag, because other users of the machine can read flags. */
export const connectionFlags = {
  profile: {
    kind: "parsed",
    parse: parseName,
    optional: true,
    placeholder: "name",
    brief:
      "Profile of the configuration file, whose members go before the environment. Default: QUERN_PROFILE, else the default profile.",
  },
  url: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "url",
    brief: `Address of the service. Default: QUERN_URL, else that of the profile, else ${defaultUrl}.`,
  },
  apiKeyFile: {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    placeholder: "file",
    brief: "File with the API key. Default: the key in QUERN_API_KEY, else that of the profile.",
  },
  timeoutSeconds: {
    kind: "parsed",
    parse: parseSeconds,
    optional: true,
    placeholder: "number",
    brief: "Longest wait for an answer, in seconds. Default: 60.",
  },
} as const;
