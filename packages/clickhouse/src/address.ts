import type { Source } from "@quern/adapter";
import { nearestWord } from "@quern/protocol/nearest-word";
import { failure } from "./failure.ts";

/** Address of a source, such as `clickhouse://reader@clickhouse.example.org:8443/sales?secure=true`. */
export interface Address {
  /** Origin of the HTTP interface. Requests go nowhere else. */
  readonly origin: string;
  readonly user: string;
  readonly database: string | undefined;
}

/** Placeholder for the user of a call, in the address and in the path of the password file. */
export const userPlaceholder = "{user}";

const parameters = ["secure"];
const form = "clickhouse://user@host:port/database?secure=true";

/**
 * Checks the configuration of a source without a connection.
 * @throws {Error} one line that names the part at fault and what is expected
 */
export function checkSource(source: Source): void {
  const { name, address = "", runAs = "fixed" } = source;
  const hasPlaceholder = address.includes(userPlaceholder);
  if (runAs === "user" && !hasPlaceholder)
    throw new Error(
      `Invalid address of the data source ${name}: its statements run as the user of the call; write {user} where the user of ClickHouse has the id of the user, such as clickhouse://quern_{user}@host/database.`,
    );
  if (runAs === "fixed" && hasPlaceholder)
    throw new Error(
      `Invalid address of the data source ${name}: it has {user}, which needs --run-as user, or runAs in the setting sources; set it, or name one user.`,
    );
  parseAddress(source, "user");
}

/**
 * Parses the address of a source for the user of a call.
 * @throws {Error} for an invalid address. The message does not have the address, which could have a password.
 * @throws {StatementError} `InvalidUser` if the id of the user cannot be part of a user of ClickHouse or of a path
 */
export function parseAddress({ name, address, path, password: place }: Source, userId: string): Address {
  const invalid = (reason: string): Error => new Error(`Invalid address of the data source ${name}: ${reason}.`);
  if (address === undefined) throw invalid(`there is none; expected ${form}`);
  if (path !== null) throw new Error(`Invalid data source ${name}: a ClickHouse source has no path; remove it.`);
  const file = place !== undefined && "file" in place ? place.file : "";
  if ([address, file].some((text) => text.includes(userPlaceholder))) checkUserId(userId, name);
  const filled = address.replaceAll(userPlaceholder, encodeURIComponent(userId));
  if (!URL.canParse(filled)) throw invalid(`expected ${form}`);
  const { protocol, username, password, host, port, pathname, searchParams, hash } = new URL(filled);
  if (protocol !== "clickhouse:") throw invalid(`expected ${form}, got the scheme ${protocol}//`);
  if (password !== "") throw invalid("it has a password; give its file or variable as the password of the source");
  if (username === "") throw invalid(`the user is missing; expected ${form}`);
  if (hash !== "") throw invalid("it has a fragment (#)");
  for (const each of searchParams.keys()) if (!parameters.includes(each)) throw invalid(unknownParameter(each));
  if (searchParams.getAll("secure").length > 1) throw invalid("secure: given twice");
  const user = decoded(username);
  if (user === undefined || user.includes(":")) throw invalid("user: expected a name without a colon");
  const [database = "", ...rest] = pathname.replace(/^\//, "").split("/").map(decoded);
  if (rest.length > 0) throw invalid(`expected one database; expected ${form}`);
  if (["system", "information_schema"].includes(database.toLowerCase()))
    throw invalid("database: expected one with your tables, not one of ClickHouse itself");
  const secure = searchParams.get("secure") ?? String(port === "8443");
  if (secure !== "true" && secure !== "false") throw invalid("secure: expected true or false");
  const url =
    secure === "true" ? `https://${host}${port === "" ? ":8443" : ""}` : `http://${host}${port === "" ? ":8123" : ""}`;
  const origin = URL.parse(url)?.origin;
  if (origin === undefined) throw invalid(`host: expected ${form}`);
  return { origin, user, database: database === "" ? undefined : database };
}

function checkUserId(userId: string, name: string): void {
  if (/^(?!\.+$)[\w.@-]{1,63}$/.test(userId)) return;
  const message = `The user ${JSON.stringify(userId)} cannot query the data source ${name}: its id must have up to 63 ASCII letters, digits, "_", ".", "@" or "-", and not only dots.`;
  throw failure("InvalidUser", "USER", message);
}

function unknownParameter(name: string): string {
  const nearest = nearestWord(name, parameters);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `unknown parameter ${name}; expected ${parameters.join(", ")}${hint}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
