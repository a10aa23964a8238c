import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

interface Received {
  readonly sql: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the connection after the body, as a server that dies. */
  readonly cutOff?: true;
  /** Sends no end after the body, as a server that computes further rows. */
  readonly isOpen?: true;
}

/** Stand-in for the HTTP interface of ClickHouse, for responses that the engine of the long tests never gives. */
export interface StandIn extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
  readonly received: Received[];
}

/** Headers of a response with rows, as in https://clickhouse.com/docs/interfaces/http#predefined_http_interface. */
export const rowsHeaders = {
  "content-type": "application/json; charset=UTF-8",
  "x-clickhouse-format": "JSONCompactEachRowWithNamesAndTypes",
  "x-clickhouse-summary":
    '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0","total_rows_to_read":"0"}',
};

export const endless = "SELECT sum(number) FROM system.numbers";

/** Text of an error, as ClickHouse has it. */
export const unknownTable = "Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)";

/**
 * @param reply returns the response to a statement. @default an error; undefined until it is killed
 * @param pingStatus HTTP status of the answers to pings
 */
export async function startStandIn(
  reply: (request: Received) => Reply | undefined = answerTo,
  { pingStatus = 200 } = {},
): Promise<StandIn> {
  const received: Received[] = [];
  const running = new Map<string, ServerResponse>();
  const server = createServer(async (request, response) => {
    // https://clickhouse.com/docs/interfaces/http
    if (request.url === "/ping") return void response.writeHead(pingStatus).end("Ok.\n");
    let sql = "";
    for await (const chunk of request) sql += chunk;
    const query = Object.fromEntries(new URL(request.url ?? "", "http://stand-in").searchParams);
    const { headers } = request;
    received.push({ sql, query, headers });
    if (sql.startsWith("KILL QUERY ")) {
      const killed = "Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)";
      running
        .get(query.param_id ?? "")
        ?.writeHead(500)
        .end(killed);
      running.delete(query.param_id ?? "");
      response.writeHead(200).end();
      return;
    }
    const answer = reply({ sql, query, headers });
    if (answer === undefined) running.set(query.query_id ?? "", response);
    else if (answer.cutOff === true)
      response.writeHead(200, answer.headers).write(answer.body, () => response.destroy());
    else if (answer.isOpen === true) response.writeHead(200, answer.headers).write(answer.body);
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    host: `127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerTo({ sql }: Received): Reply | undefined {
  return sql === endless ? undefined : { status: 500, body: unknownTable };
}
