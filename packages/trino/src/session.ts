import type { Query, Statement } from "@quern/adapter";
import type { Tags } from "@quern/query-run/record";
import { type Address, parseAddress, userPlaceholder } from "./address.ts";
import { failure } from "./failure.ts";
import { segmentEncodings } from "./protocol/segment.ts";

/** Returns the headers of a query that say where names are resolved, and which forms of values the adapter reads. */
export function sessionHeaders({ catalog, schema }: Address): Record<string, string> {
  return {
    "content-type": "text/plain; charset=utf-8",
    // Without this capability, times have no more than milliseconds.
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    "x-trino-time-zone": "UTC",
    ...(catalog === undefined ? {} : { "x-trino-catalog": catalog }),
    ...(schema === undefined ? {} : { "x-trino-schema": schema }),
  };
}

/** Returns the headers of a query of a run, which show in Trino who runs it and why. */
export function statementHeaders(address: Address, statement: Statement): Record<string, string> {
  const { runId, tenantId, userId, tags = {}, traceparent } = statement;
  return {
    ...sessionHeaders(address),
    ...(address.spooling ? { "x-trino-query-data-encoding": segmentEncodings } : {}),
    "x-trino-client-info": encoded(JSON.stringify({ queryRunId: runId, tenantId, userId }), /[^\x20-\x7e]/gu),
    "x-trino-client-tags": tagList(tags),
    ...(traceparent === undefined ? {} : { traceparent, "x-trino-trace-token": traceparent.split("-")[1] ?? "" }),
  };
}

/** Trino's tags are a list of words, which commas separate, so a comma in a tag is encoded. */
function tagList(tags: Tags): string {
  const words = Object.entries(tags).map(([name, value]) => (value === null ? name : `${name}=${value}`));
  return words.map((word) => encoded(word, /[^\x20-\x7e]|[,%]/gu)).join(",");
}

/** Headers are ASCII. Other characters are percent-encoded. */
function encoded(text: string, characters: RegExp): string {
  return Buffer.from(text).toString().replaceAll(characters, encodeURIComponent);
}

/**
 * Returns the user whose rights a query has; undefined for the one of the address.
 * @throws {StatementError} `InvalidUser` if Trino cannot have a user with this id
 */
export function userOf({ source, userId }: Pick<Query, "source" | "userId">): string | undefined {
  if (source.runAs !== "user") return undefined;
  const { sessionUser = userPlaceholder } = parseAddress(source);
  if (/^[\x21-\x7e]+$/.test(userId)) return sessionUser.replaceAll(userPlaceholder, () => userId);
  const message = `The user ${JSON.stringify(userId)} cannot query the data source ${source.name}: its id must be printable ASCII.`;
  throw failure("InvalidUser", "USER", message);
}
