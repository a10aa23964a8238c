import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Store } from "@quern/adapter";
import { contentTypes, type Download, type DownloadFormat, type Downloads, fileEndings } from "@quern/duckdb";
import { InternalError, InvalidRequest } from "@quern/json-rpc/envelope";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import { corsOf, headersOf } from "@quern/json-rpc/node";
import type { RunRecord, RunResult } from "@quern/query-run/record";
import { isExpired } from "@quern/query-run/retention";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Log } from "../common/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { requestIdOf } from "../telemetry/request-id.ts";
import { openResult, type ResultDependencies } from "../runs/open-result.ts";
import type { LinkedDownload, LinkSigner } from "./link.ts";
import { watchReader } from "./slow-reader.ts";

export const downloadPath = "/results/";

/** A reader that takes nothing for so long has gone. */
const idleMs = 60_000;

export interface DownloadRouteDependencies extends ResultDependencies {
  readonly store: Store;
  readonly downloads: Downloads;
  readonly links: LinkSigner;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

export interface DownloadRouteOptions {
  readonly log: Log;
  /** Pages that may read downloads; those of any origin where left out. */
  readonly allowedOrigins: readonly string[] | undefined;
}

/** Answers `GET /results/<token>`: the whole result, to whoever has the link. False where something else is asked for. */
export function createDownloadRoute(
  deps: DownloadRouteDependencies,
  { log, allowedOrigins }: DownloadRouteOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { store, downloads, links, telemetry, clock } = deps;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "" } = request;
    if (method === "OPTIONS")
      return void response.writeHead(204, { "access-control-allow-methods": "GET, HEAD" }).end();
    if (method !== "GET" && method !== "HEAD")
      return refuse(response, 405, InvalidRequest, `Invalid Request: expected GET, received ${method}`, {
        allow: "GET, HEAD",
      });
    const [path = ""] = url.split("?", 1);
    const link = await links.read(path.slice(downloadPath.length), clock.now());
    if (link === undefined) {
      const { code } = declaredError("AuthorizationError");
      telemetry.refused({ principal: undefined, headers: headersOf(request) }, { link: true });
      return refuse(response, 403, code, "The link is not one of this service, or its time is over; ask for another");
    }
    const run = await store.runs.run(link.runId);
    const isKept = run?.result != null && !isExpired(run, clock.now());
    const opened = isKept ? await openResult(run, deps) : undefined;
    if (run?.result == null || opened === undefined) {
      const { code, message } = declaredError("QueryRunResultsExpired");
      return refuse(response, 410, code, message);
    }
    try {
      await answerWith({ ...run, result: run.result }, opened.paths, link, request, response);
    } finally {
      await opened.release();
    }
  }

  async function answerWith(
    run: RunRecord & { readonly result: RunResult },
    paths: readonly string[],
    link: LinkedDownload,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const headers = fileHeaders(run, link.format);
    if (request.method === "HEAD") return void response.writeHead(200, headers).end();
    const download = await downloads.open(run.tenantId, { ...run.result, paths, format: link.format });
    if (download === undefined)
      return refuse(response, 503, InternalError, "So many downloads are under way that another has to wait", {
        "retry-after": "5",
      });
    const reader = { principal: link.reader, headers: headersOf(request) };
    await send(download, response, headers, run, reader.headers, (bytes) =>
      telemetry.read(reader, run.id, bytes, link.format),
    );
  }

  async function send(
    { readable, written, end }: Download,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { id }: RunRecord,
    requestHeaders: RequestHeaders,
    onRead: (bytes: number) => void,
  ): Promise<void> {
    let bytes = 0;
    response.setTimeout(idleMs, () => response.destroy());
    const stopWatch = watchReader(
      response,
      () => bytes,
      () => response.destroy(),
    );
    try {
      // What fails before the first byte is answered as what it is.
      await Promise.race([new Promise((resolve) => readable.once("readable", resolve)), written]);
      response.writeHead(200, headers);
      readable.on("data", (chunk: Uint8Array) => {
        bytes += chunk.length;
      });
      await Promise.all([pipeline(readable, response, { end: false }), written]).finally(() => onRead(bytes));
      response.end();
    } catch (error) {
      if (response.destroyed)
        written.catch(() => {}); // the reader has gone, and the process is ended below
      else log.error(`the result of ${id} could not be downloaded`, error, { requestId: requestIdOf(requestHeaders) });
      fail(response);
    } finally {
      stopWatch();
      await end();
    }
  }

  return (request, response) => {
    if (!request.url?.startsWith(downloadPath)) return false;
    const cors = corsOf(request.headers.origin ?? "", allowedOrigins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    response.setHeader("access-control-expose-headers", "content-disposition, retry-after, x-request-id");
    answer(request, response).catch((error: unknown) => {
      log.error("a download failed", error, { requestId: requestIdOf(headersOf(request)) });
      fail(response);
    });
    return true;
  };
}

function fileHeaders({ id }: RunRecord, format: DownloadFormat): Readonly<Record<string, string>> {
  return {
    "content-type": contentTypes[format],
    "content-disposition": `attachment; filename="${id}.${fileEndings[format]}"`,
    // It is written while it is read, so that a part of it costs as much as the whole.
    "accept-ranges": "none",
    // The link is the key to it.
    "cache-control": "private, no-store",
  };
}

/** Without its last chunk an answer that has begun is seen to be incomplete. */
function fail(response: ServerResponse): void {
  const { code, message } = declaredError("DuckDBError");
  if (response.headersSent) response.destroy();
  else refuse(response, 500, code, message);
}

function refuse(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}
