/** Location of a database, without the credentials of its URL. */
export interface Address {
  /** `PostgreSQL at host:port/database`, for messages. */
  readonly text: string;
}

/**
 * Parses the URL of a database.
 * @throws if it is not one of PostgreSQL; the message has no part of the URL, which may have a password
 */
export function parseAddress(url: string): Address {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["postgres:", "postgresql:"].includes(parsed.protocol))
    throw new Error(
      "Invalid URL of a PostgreSQL database: it must have the form postgres://user@host:port/database (percent-encode special characters).",
    );
  const host = parsed.hostname || parsed.searchParams.get("host") || "localhost";
  const database = parsed.pathname.slice(1) || parsed.username || "postgres";
  return { text: `PostgreSQL at ${host}:${parsed.port || "5432"}/${decodeURIComponent(database)}` };
}
