import { problemsIn, SlowAnswer } from "./check.ts";
import type { Answer } from "./exchange.ts";
import { isObject } from "./json.ts";
import type { Session } from "./session.ts";
import { livenessStep } from "./steps.ts";

/** No JSON-RPC server answers at the address. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** The server refuses the API key. */
export class ApiKeyError extends Error {
  override readonly name = "ApiKeyError";
}

/** Returns the address of the endpoint: the URL itself, or `/json-rpc` below a base URL. */
export function endpointOf(url: string): string {
  return url.endsWith("/json-rpc") ? url : `${url.replace(/\/$/, "")}/json-rpc`;
}

/**
 * Makes one call, so that a wrong address or key is one error instead of a failure of each check.
 * @throws UnreachableError if no JSON-RPC server answers, ApiKeyError if the server refuses the key
 */
export async function checkEndpoint(endpoint: string, session: Session): Promise<void> {
  await using sender = session.createSender();
  const { answer } = await sender.send(livenessStep.send, session.variables).catch((error: unknown) => {
    const reason = problemsIn(error).join("; ");
    const text =
      error instanceof SlowAnswer
        ? `the server at ${endpoint} does not answer in time`
        : `no server answers at ${endpoint}`;
    throw new UnreachableError(`${text}: ${reason}`);
  });
  if (answer === undefined || isJsonRpc(answer)) return;
  const { status, headers } = answer;
  const contentType = headers["content-type"] ?? "no content type";
  if (status === 401 || status === 403)
    throw new ApiKeyError(`the server at ${endpoint} refuses the API key: HTTP ${status}; pass a valid key`);
  const isElsewhere = (status >= 300 && status < 500) || contentType.startsWith("text/html");
  if (isElsewhere)
    throw new UnreachableError(
      `no JSON-RPC endpoint at ${endpoint}: HTTP ${status}, ${contentType}; pass the URL that accepts calls`,
    );
}

/** Returns true for a status below 300 with a JSON body, or an HTTP error other than 401 with a response object. */
function isJsonRpc({ status, body }: Answer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString());
    return status < 300 || (isObject(value) && ("jsonrpc" in value || isObject(value.error)) && status !== 401);
  } catch {
    return false;
  }
}
