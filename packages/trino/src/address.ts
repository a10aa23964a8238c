import type { Source } from "@quern/adapter";
import { nearestWord } from "@quern/protocol/nearest-word";

/** Address of a source, such as `trino://reader@trino.example.org:8443/hive/sales?SSL=true`. */
export interface Address {
  /** Origin of the coordinator. Requests with credentials go nowhere else. */
  readonly coordinator: string;
  /** Origins from which spooled results are fetched, in addition to the coordinator. */
  readonly storage: readonly string[];
  readonly user: string;
  /** User of a statement with `runAs: "user"`, in which {@link userPlaceholder} stands for the id of the caller. */
  readonly sessionUser: string | undefined;
  readonly catalog: string | undefined;
  readonly schema: string | undefined;
  /** Catalogs that statements may name, in lower case; undefined for all. */
  readonly catalogs: ReadonlySet<string> | undefined;
  /** True if the adapter accepts results in segments from a spooling storage. */
  readonly spooling: boolean;
}

/** Placeholder for the user of a call. */
export const userPlaceholder = "{user}";

const parameters = ["SSL", "catalogs", "sessionUser", "spooling", "storage"];
const form = "trino://user@host:port/catalog/schema?SSL=true";

/**
 * Checks the configuration of a source without a connection.
 * @throws {Error} one line that names the part at fault and what is expected
 */
export function checkSource(source: Source): void {
  const { sessionUser } = parseAddress(source);
  if (sessionUser === undefined) return;
  const reason =
    source.runAs !== "user"
      ? "it needs --run-as user, or runAs in the setting sources; set it, or remove the parameter"
      : !sessionUser.includes(userPlaceholder) && "write {user} where the user of Trino has the id of the user";
  if (reason) throw new Error(`Invalid address of the data source ${source.name}: sessionUser: ${reason}.`);
}

/**
 * Parses the address of a source. It is the one of Trino's JDBC driver without `jdbc:`, except that the user stands
 * before the host.
 * @throws {Error} for an invalid address. The message does not have the address, which could have a password.
 */
export function parseAddress({ name, address, password: secret, path }: Source): Address {
  const invalid = (reason: string): Error => new Error(`Invalid address of the data source ${name}: ${reason}.`);
  if (address === undefined) throw invalid(`there is none; expected ${form}`);
  if (path !== null) throw new Error(`Invalid data source ${name}: a Trino source has no path; remove it.`);
  if (!URL.canParse(address)) throw invalid(`expected ${form}`);
  const { protocol, username, password, host, port, pathname, searchParams, hash } = new URL(address);
  if (protocol !== "trino:") throw invalid(`expected ${form}, got the scheme ${protocol}//`);
  if (password !== "") throw invalid("it has a password; give its file or variable as the password of the source");
  if (username === "") throw invalid(`the user is missing; expected ${form}`);
  if (hash !== "") throw invalid("it has a fragment (#)");
  for (const each of searchParams.keys()) if (!parameters.includes(each)) throw invalid(unknownParameter(each));
  for (const each of ["SSL", "catalogs", "sessionUser", "spooling"])
    if (searchParams.getAll(each).length > 1) throw invalid(`${each}: given twice`);
  const user = decoded(username);
  if (user === undefined || !/^[\x21-\x7e]+$/.test(user)) throw invalid("user: expected printable ASCII characters");
  const sessionUser = searchParams.get("sessionUser") ?? undefined;
  if (sessionUser !== undefined && !/^[\x21-\x7e]+$/.test(sessionUser))
    throw invalid("sessionUser: expected printable ASCII characters");
  const [catalog, schema, ...rest] = pathname
    .replace(/^\/|\/$/g, "")
    .split("/")
    .map(decoded);
  if (rest.length > 0) throw invalid(`expected at most a catalog and a schema; expected ${form}`);
  for (const each of [catalog, schema])
    if (each !== undefined && !/^[\x20-\x7e]*$/.test(each))
      throw invalid("catalog and schema: expected ASCII characters");
  const more = searchParams.get("catalogs")?.split(",");
  if (more?.some((each) => !/^[\x21-\x7e]+$/.test(each)))
    throw invalid("catalogs: expected names with commas between them, such as catalogs=hive,system");
  const catalogs = [...(catalog ? [catalog] : []), ...(more ?? [])].map((each) => each.toLowerCase());
  const tls = flag("SSL") ?? port === "443";
  if (secret !== undefined && !tls) throw invalid("a password is sent over TLS only; add ?SSL=true");
  const origin = URL.parse(`${tls ? "https" : "http"}://${host}`)?.origin;
  if (origin === undefined) throw invalid(`host: expected ${form}`);

  function flag(each: string): boolean | undefined {
    const text = searchParams.get(each)?.toLowerCase();
    if (text !== undefined && text !== "true" && text !== "false") throw invalid(`${each}: expected true or false`);
    return text === undefined ? undefined : text === "true";
  }
  function storageOrigin(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !["http:", "https:"].includes(url.protocol))
      throw invalid("storage: expected an origin such as https://storage.example.org");
    if (url.username !== "" || url.password !== "") throw invalid("storage: it has credentials");
    return url.origin;
  }
  return {
    coordinator: origin,
    storage: searchParams.getAll("storage").map(storageOrigin),
    user,
    sessionUser,
    catalog: catalog === "" ? undefined : catalog,
    schema: schema === "" ? undefined : schema,
    catalogs: catalogs.length === 0 ? undefined : new Set(catalogs),
    spooling: flag("spooling") ?? true,
  };
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
