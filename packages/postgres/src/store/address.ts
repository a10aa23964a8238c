import { nearestWord } from "@quern/protocol/nearest-word";
import type { ClientConfig } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { codeOf } from "./outage.ts";

/** Location of a database, and the way to connect to it. */
export interface Address {
  /** `PostgreSQL at host:port/database`, for messages: without the user and the password. */
  readonly text: string;
  readonly config: ClientConfig;
}

/**
 * Parses the URL of a database.
 * @param password password to use instead of that in the URL
 * @throws if it is not a URL of PostgreSQL, or has an unknown parameter or `sslmode`; the message has no other part of the
 *   URL, which may have a password
 */
export function parseAddress(url: string, password?: string): Address {
  if (!/^postgres(ql)?:\/\/./.test(url)) throw invalid();
  const [start = "", ...rest] = url.replace(/#.*$/s, "").split("?");
  const parameters = new URLSearchParams(rest.join("?"));
  checkParameters(parameters);
  const mode = checkedMode(parameters);
  if (mode !== undefined) parameters.set("sslmode", mode);
  let config: ClientConfig;
  try {
    config = parseIntoClientConfig(mode === undefined ? url : `${start}?${parameters}`);
  } catch (error) {
    throw invalid(error instanceof Error ? codeOf(error) : undefined);
  }
  const { host = "localhost", port = 5432, database = config.user ?? "postgres" } = config;
  const text = `PostgreSQL at ${host}:${port}/${database}`;
  // The library can use channel binding if the server offers it, and cannot require it.
  const enableChannelBinding = (parameters.get("channel_binding") ?? "disable") !== "disable";
  return { text, config: { ...config, enableChannelBinding, ...(password !== undefined && { password }) } };
}

/** Modes in which the client library checks the certificate and the name of the host, like `verify-full`. */
const verifyingModes = ["allow", "prefer", "require", "verify-ca", "verify-full"];
const modes = ["disable", "no-verify", ...verifyingModes];

/** Parameters that the client library knows, or that it may ignore without harm. */
const parameterNames = [
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslnegotiation",
  "ssl",
  "uselibpqcompat",
  "channel_binding",
  "host",
  "port",
  "user",
  "password",
  "application_name",
  "fallback_application_name",
  "options",
  "client_encoding",
  "connect_timeout",
  "statement_timeout",
  "lock_timeout",
  "query_timeout",
  "idle_in_transaction_session_timeout",
  "keepalives",
  "keepalives_idle",
  "keepalives_interval",
  "keepalives_count",
];

/** Checks the names of the parameters: the client library ignores an unknown one, such as a misspelt `sslmode`. */
function checkParameters(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (parameterNames.includes(name)) continue;
    const nearest = nearestWord(name, parameterNames);
    // A name that is like none could be a part of a password with a question mark.
    const fault =
      nearest === undefined ? `expected ${parameterNames.join(", ")}.` : `got ${name}; did you mean ${nearest}?`;
    throw new Error(`Invalid URL of a PostgreSQL database: unknown parameter: ${fault}`);
  }
}

/**
 * Checks the parameter `sslmode`, of which the client library takes each unknown value for `verify-full`. Returns
 * `verify-full` for the modes with that meaning, since the library prints a warning of several lines for the others, and
 * undefined if the URL may stay as it is.
 */
function checkedMode(parameters: URLSearchParams): "verify-full" | undefined {
  const given = parameters.getAll("sslmode");
  for (const mode of given) {
    if (modes.includes(mode)) continue;
    const nearest = nearestWord(mode, modes);
    const fault = nearest === undefined ? `expected ${modes.join(", ")}.` : `got ${mode}; did you mean ${nearest}?`;
    throw new Error(`Invalid URL of a PostgreSQL database: unknown sslmode: ${fault}`);
  }
  const mode = given.at(-1);
  const isStandard = parameters.get("uselibpqcompat") === "true"; // the library then follows libpq, without a warning
  return mode === undefined || !verifyingModes.includes(mode) || isStandard ? undefined : "verify-full";
}

function invalid(code?: string): Error {
  const form = "it must have the form postgres://user@host:port/database (percent-encode special characters)";
  const isOfFile = code !== undefined && !code.startsWith("ERR_");
  const fault = isOfFile ? `a file of a certificate or key that it names cannot be read (${code})` : form;
  return new Error(`Invalid URL of a PostgreSQL database: ${fault}.`);
}
