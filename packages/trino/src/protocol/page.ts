import { failure, type QueryError } from "../failure.ts";
import type { TypeSignature } from "./column-type.ts";
import { cutMember } from "./member.ts";

export interface PageColumn {
  readonly name: string;
  readonly type: string;
  readonly typeSignature: TypeSignature;
}

/** Part of the response to a query. Each one names the next. */
export interface Page {
  readonly id: string;
  /** Address of the next page. Undefined on the last one. */
  readonly nextUri?: string;
  readonly columns?: readonly PageColumn[];
  readonly error?: QueryError;
  readonly stats?: { readonly state?: string; readonly progressPercentage?: number };
  /** JSON of the rows, or of the segments that have them. */
  readonly data: Uint8Array | undefined;
}

/** Parses a page except for its rows. Returns undefined for a response that is none of Trino. */
export function parsePage(body: Uint8Array): Page | undefined {
  try {
    const { rest, value } = cutMember(body, "data");
    const page: unknown = JSON.parse(Buffer.from(rest).toString());
    if (isPage(page)) return { ...page, data: value !== undefined && isNull(value) ? undefined : value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}

/** Creates the failure for a response that another program sent, such as a proxy with a page for signing in. */
export function notTrino(): Error {
  const message = "The data source did not answer as Trino; check the host, the port and SSL of its address.";
  return failure("InvalidResponse", "DATA_SOURCE", message);
}

/** Returns true for the JSON of an array, such as rows. Data in segments is an object, and compressed data is neither. */
export function isArray(json: Uint8Array): boolean {
  return json[0] === 0x5b;
}

function isPage(value: unknown): value is Omit<Page, "data"> {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

function isNull(json: Uint8Array): boolean {
  return json.length === 4 && Buffer.from(json).toString() === "null";
}
