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
 * @throws if it is not a URL of PostgreSQL; the message has no part of the URL, which may have a password
 */
export function parseAddress(url: string, password?: string): Address {
  if (!/^postgres(ql)?:\/\/./.test(url)) throw invalid();
  let config: ClientConfig;
  try {
    config = parseIntoClientConfig(url);
  } catch (error) {
    throw invalid(error instanceof Error ? codeOf(error) : undefined);
  }
  const { host = "localhost", port = 5432, database = config.user ?? "postgres" } = config;
  const text = `PostgreSQL at ${host}:${port}/${database}`;
  return { text, config: password === undefined ? config : { ...config, password } };
}

function invalid(code?: string): Error {
  const form = "it must have the form postgres://user@host:port/database (percent-encode special characters)";
  const isOfFile = code !== undefined && !code.startsWith("ERR_");
  const fault = isOfFile ? `a file of a certificate or key that it names cannot be read (${code})` : form;
  return new Error(`Invalid URL of a PostgreSQL database: ${fault}.`);
}
