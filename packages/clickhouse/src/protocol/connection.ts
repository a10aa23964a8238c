import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client";
import { EngineLostError, type Source } from "@quern/adapter";
import { parseAddress, userPlaceholder } from "../address.ts";
import { failure, queryFailure } from "../failure.ts";
import { resultFormat } from "../session.ts";
import { ping } from "./ping.ts";
import { type Column, readRows } from "./rows.ts";

export interface Request {
  readonly sql: string;
  readonly settings: ClickHouseSettings;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** @default an id of the client library */
  readonly queryId?: string;
  readonly traceparent?: string;
}

/** Result of a query, which ClickHouse sends when the query has ended. */
export interface Response {
  readonly columns: readonly Column[];
  /** Yields JSON arrays of rows. */
  readonly arrays: AsyncGenerator<Uint8Array>;
  /** Number of rows that the arrays have so far. */
  readonly rowCount: () => number;
}

/** Connection to the server of a source, as one user. */
export interface Connection {
  readonly database: string | undefined;
  /**
   * Waits until the server answers at all, since it answers a query only at the end of the query.
   * @throws {EngineLostError} if ClickHouse cannot be reached
   * @throws the reason of the signal, if it is aborted
   */
  reach(signal: AbortSignal): Promise<void>;
  /**
   * Runs a query. An abort of the signal also ends the rows.
   * @throws {StatementError} if ClickHouse refuses the query, or the query fails
   * @throws {EngineLostError} if ClickHouse cannot be reached
   * @throws the reason of the signal, if it is aborted
   */
  run(request: Request, signal: AbortSignal): Promise<Response>;
  /** Runs a statement whose answer, if it has one, is not read. Throws like `run`. */
  command(request: Request, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type SecretReader = (place: NonNullable<Source["password"]>) => Promise<string>;

/** Longest error that is read, in bytes. */
const maxErrorBytes = 65_536;
/** Time without a byte after which the server counts as lost, in milliseconds, beyond the time of the query. */
const graceMs = 60_000;

/** Opens a connection. The password is read now, so that a changed one needs no restart. */
export async function connect(source: Source, userId: string, secret: SecretReader): Promise<Connection> {
  const { origin, user, database } = parseAddress(source, userId);
  const password = source.password === undefined ? "" : await secret(placeFor(source.password, userId));
  function clientFor(seconds: number): ReturnType<typeof createClient> {
    return createClient({
      url: origin,
      username: user,
      password,
      application: "quern",
      ...(database === undefined ? {} : { database }),
      request_timeout: Math.min(seconds * 1_000 + graceMs, 2 ** 31 - 1),
      keep_alive: { enabled: false },
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
  const clients = new Set<ReturnType<typeof createClient>>();

  /** Sends a statement, and uses the body of its response. */
  async function send<T>(
    request: Request,
    signal: AbortSignal,
    use: (body: Readable, format: unknown) => Promise<T>,
  ): Promise<T> {
    const { sql: query, settings, parameters, queryId, traceparent } = request;
    signal.throwIfAborted();
    const client = clientFor(Number(settings.max_execution_time ?? 30));
    clients.add(client);
    try {
      const { stream, response_headers, http_status_code } = await client.exec({
        query,
        clickhouse_settings: settings,
        abort_signal: signal,
        ignore_error_response: true,
        ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
        ...(queryId === undefined ? {} : { query_id: queryId }),
        ...(traceparent === undefined ? {} : { http_headers: { traceparent } }),
      });
      stream.on("error", () => {}); // the reader of the stream gets the error
      signal.addEventListener("abort", () => stream.destroy(), { once: true });
      if (http_status_code !== 200 || response_headers["x-clickhouse-exception-code"] !== undefined)
        throw responseFailure(http_status_code ?? 0, await textOf(stream), source.name);
      return await use(stream, response_headers["x-clickhouse-format"]);
    } catch (error) {
      throw asFailure(error, signal);
    }
  }

  /** Reports a lost connection as that, while the rows are read. */
  async function* untilLost(arrays: AsyncGenerator<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* arrays;
      signal.throwIfAborted(); // a stream that was destroyed can look complete
    } catch (error) {
      throw asFailure(error, signal);
    }
  }

  function asFailure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const isTimeout = error instanceof Error && error.message === "Timeout error.";
    if (typeof code !== "string" && !isTimeout) return error;
    // The message of an error of the library could have the address with the parameters.
    const reason = isTimeout ? "no answer in time" : code;
    return new EngineLostError(`Cannot reach ClickHouse at ${origin}: ${reason}; check the address and the network.`);
  }

  return {
    database,
    async reach(signal) {
      const status = await ping(origin, signal).catch((error: unknown) => {
        throw asFailure(error, signal);
      });
      // Any other answer will do, because some proxies do not have the path of a ping.
      if (status >= 500) throw new EngineLostError(`ClickHouse answered a ping with the HTTP status ${status}.`);
    },
    run: (request, signal) =>
      send(request, signal, async (body, format) => {
        if (format !== resultFormat) throw notClickHouse();
        const { arrays, ...rows } = await readRows(body, source.name);
        return { ...rows, arrays: untilLost(arrays, signal) };
      }),
    command: (request, signal) => send(request, signal, (body) => finished(body.resume())),
    async close() {
      await Promise.all([...clients].map((client) => client.close()));
    },
  };
}

function placeFor(place: NonNullable<Source["password"]>, userId: string): NonNullable<Source["password"]> {
  return "file" in place ? { file: place.file.replaceAll(userPlaceholder, userId) } : place;
}

function responseFailure(status: number, text: string, source: string): Error {
  const known = queryFailure(text, source);
  if (known !== undefined) return known;
  const [line = ""] = text.trim().split("\n", 1);
  const reason = line === "" || line.startsWith("<") ? "" : `: ${line.slice(0, 300)}`;
  const message = `ClickHouse answered with the HTTP status ${status}${reason}.`;
  return status >= 500 ? new EngineLostError(message) : failure("DataSourceRefused", "DATA_SOURCE", message);
}

function notClickHouse(): Error {
  const message = "The data source did not answer as ClickHouse; check the host, the port and secure of its address.";
  return failure("InvalidResponse", "DATA_SOURCE", message);
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxErrorBytes) break;
  }
  return Buffer.concat(chunks).toString();
}
