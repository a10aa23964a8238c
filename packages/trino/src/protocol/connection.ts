import { EngineLostError, type Source } from "@quern/adapter";
import { type Address, parseAddress } from "../address.ts";
import { failure } from "../failure.ts";
import { type HttpRequest, type HttpResponse, send } from "./http.ts";

/** Connection to the coordinator of a source, as one user. */
export interface Connection {
  readonly address: Address;
  /**
   * Sends a request with the credentials, to the coordinator only. The response has a status of success, or
   * {@link isGone} is true for it.
   * @throws {StatementError} for other statuses below 500, except 429, and for a URL that is not of the coordinator
   * @throws {EngineLostError} if Trino cannot be reached, or answers with 429 or a status from 500
   */
  request(
    request: Pick<HttpRequest, "method" | "url" | "body" | "signal" | "retryMs"> & {
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<HttpResponse>;
}

type SecretReader = (place: NonNullable<Source["password"]>) => Promise<string>;

/**
 * Opens a connection. The password is read now, so that a changed one needs no restart.
 * @param user user whose rights the query has; with a password, Trino must let the user of the address impersonate it
 */
export async function connect(source: Source, user: string | undefined, secret: SecretReader): Promise<Connection> {
  const address = parseAddress(source);
  const credentials: Record<string, string> = {
    "x-trino-user": user ?? address.user,
    "x-trino-source": "quern",
    "user-agent": "quern",
  };
  if (source.password !== undefined) {
    const password = await secret(source.password);
    credentials.authorization = `Basic ${Buffer.from(`${address.user}:${password}`).toString("base64")}`;
  }
  return {
    address,
    async request({ headers, ...request }) {
      if (originOf(request.url) !== address.coordinator) throw foreignHost(request.url, address.coordinator);
      const response = await send({ ...request, headers: { ...headers, ...credentials } });
      checkStatus(response, source.name);
      return response;
    },
  };
}

/** Returns true for the status of a query that Trino does not have, or no longer. */
export function isGone(status: number): boolean {
  return status === 404 || status === 410;
}

/** Returns the origin of a URL; undefined if it is none. */
export function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Creates the failure for an address in a response that the source may not send requests to. */
export function foreignHost(url: string, coordinator: string): Error {
  const message = `Trino refers to ${originOf(url) ?? "an invalid address"}, which is not ${coordinator} of the data source`;
  const advice =
    "for a proxy set http-server.process-forwarded=true in Trino, for a storage add the parameter storage=<origin> to the address";
  return failure("ForeignHost", "DATA_SOURCE", `${message}; ${advice}.`);
}

function checkStatus({ status, body }: HttpResponse, source: string): void {
  if ((status >= 200 && status < 300) || isGone(status)) return;
  if (status === 401) {
    const message = `Trino refused the user or password of the data source ${source}; correct them.`;
    throw failure("DataSourceUnauthorized", "DATA_SOURCE", message);
  }
  if (status >= 300 && status < 400) {
    const message =
      "Trino answered with a redirect, which is not followed; correct the address of the data source, or add SSL=true.";
    throw failure("InvalidResponse", "DATA_SOURCE", message);
  }
  const [line = ""] = Buffer.from(body).toString().trim().split("\n", 1);
  const reason = line === "" || line.startsWith("<") ? "" : `: ${line.slice(0, 300)}`;
  const message = `Trino answered with the HTTP status ${status}${reason}.`;
  // A Trino that shuts down, for instance. Errors of a statement have the status 200.
  if (status >= 500) throw new EngineLostError(message);
  throw failure("DataSourceRefused", "DATA_SOURCE", message);
}
