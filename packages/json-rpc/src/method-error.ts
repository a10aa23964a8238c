import { issuesError, type WireIssue } from "./issue.ts";
import type { ErrorObject } from "./method.ts";

/** Members of a `MethodError` beside its code and message. */
export interface MethodErrorOptions {
  readonly data?: unknown;
  /**
   * HTTP status of the reply. It has no effect on an error of a method in a batch, whose reply has the status 200.
   * @default 401 for an error of `authenticate`, else 200
   */
  readonly httpStatus?: number;
  /** Additional HTTP headers, e.g. `retry-after`. They have no effect on an error of a method in a batch. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Cause for the operator, passed to `onError` and not to the client. */
  readonly cause?: unknown;
}

/** Error that is sent to the client. A method throws it, or `authenticate` to refuse the whole HTTP request. */
export class MethodError extends Error {
  override readonly name = "MethodError";
  readonly code: number;
  readonly data: unknown;
  readonly httpStatus: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: number, message: string, options: MethodErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus;
    this.headers = options.headers;
  }
}

/** Returns a `MethodError` as the error member of a response. */
export function errorObject({ code, message, data }: MethodError): ErrorObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** Errors of an OpenRPC document by their names. */
type ErrorTable = Readonly<Record<string, ErrorObject>> & { readonly InvalidParams: ErrorObject };

/** Functions that make the errors of an OpenRPC document, with its codes and messages. */
export interface DeclaredErrors<Name extends string> {
  /**
   * Makes the error that the document declares under a name. A word such as `data.maxPageSize` in its message is replaced
   * by that member of `data`, for clients that show the message only.
   */
  declaredError(name: Name, data?: unknown, options?: Omit<MethodErrorOptions, "data">): MethodError;
  /**
   * Makes the error of parameters that match their schema and are still not usable. Pointers are relative to the
   * parameter object: `/sql`.
   */
  invalidParams(issues: readonly WireIssue[], reason?: string): MethodError;
}

/** Makes the functions for the errors of an OpenRPC document. @param table its member `components.errors` */
export function declaredErrors<Table extends ErrorTable>(table: Table): DeclaredErrors<keyof Table & string> {
  function declaredError(name: keyof Table, data?: unknown, options: Omit<MethodErrorOptions, "data"> = {}) {
    const { code, message } = table[name] as ErrorObject; // `name` is a key of the table.
    return new MethodError(code, messageWith(message, data), { ...options, data });
  }
  return {
    declaredError,
    invalidParams(issues, reason) {
      const { InvalidParams } = table;
      const { code, message, data } = issuesError(InvalidParams.code, InvalidParams.message, issues, "/params/0");
      return new MethodError(code, message, { data: reason === undefined ? data : { ...data, reason } });
    },
  };
}

/** Maximum number of items of an array in a message, and of characters of an item. */
const maxShownItems = 50;
const maxShownLength = 200;

/** Replaces `data.member` in a message by the member, as JSON text. A member that `data` lacks stays as it is. */
function messageWith(message: string, data: unknown): string {
  if (typeof data !== "object" || data === null) return message;
  const members = new Map<string, unknown>(Object.entries(data));
  return message.replace(/\bdata\.(\w+)/g, (reference, member: string) => {
    const value = members.get(member);
    if (!Array.isArray(value)) return value === undefined ? reference : shown(value);
    const items = value.slice(0, maxShownItems).map(shown).join(", ");
    return value.length > maxShownItems ? `${items} and ${value.length - maxShownItems} more in ${reference}` : items;
  });
}

function shown(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}
