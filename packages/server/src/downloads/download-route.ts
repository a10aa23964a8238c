import type { IncomingMessage, ServerResponse } from "node:http";
import type { Store } from "@quern/adapter";
import type { Downloads } from "@quern/duckdb";
import { InternalError, InvalidRequest } from "@quern/json-rpc/envelope";
import { MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { corsOf } from "@quern/json-rpc/node";
import { contentTypes } from "@quern/query-run/download-format";
import { contentDisposition, downloadFileName } from "@quern/query-run/file-name";
import type { RunRecord, RunResult } from "@quern/query-run/record";
import { isExpired } from "@quern/query-run/retention";
import type { ResultView } from "@quern/query-run/view";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Log } from "../common/log.ts";
import { toMethodError } from "../common/method-errors.ts";
import { requestIdOf } from "../common/request-context.ts";
import { openResult, type ResultDependencies } from "../runs/open-result.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { sendDownload } from "./download-stream.ts";
import type { LinkedDownload, LinkSigner } from "./link.ts";

export const downloadPath = "/results/";

/** Longest time in seconds for which the target of a link for one download is valid. */
const maxRedirectSeconds = 60;

export interface DownloadRouteDependencies extends ResultDependencies {
  readonly store: Store;
  readonly downloads: Downloads;
  readonly links: LinkSigner;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

export interface DownloadRouteOptions {
  readonly log: Log;
  /** Returns the headers of a request, and the address of the client. */
  readonly headersOf: (request: IncomingMessage) => RequestHeaders;
  /** Web origins whose pages may read downloads; undefined is all. */
  readonly allowedOrigins: readonly string[] | undefined;
  /** Redirects to the storage where it has the file, which has all rows of a result. @default false */
  readonly fromStorage?: boolean | undefined;
}

/**
 * Serves `GET /results/<token>` with the whole result. The link is the credential: anyone who has it may download the
 * result until the link expires, or once if the link is for one download.
 * @returns a function that returns false for a request of another path
 */
export function createDownloadRoute(
  deps: DownloadRouteDependencies,
  { log, headersOf, allowedOrigins, fromStorage = false }: DownloadRouteOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { store, downloads, links, telemetry, clock } = deps;

  /** Checks the method, the link and the result, in this order. Answers with the first failure, or sends the result. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "" } = request;
    if (method === "OPTIONS")
      return void response.writeHead(204, { "access-control-allow-methods": "GET, HEAD" }).end();
    if (method !== "GET" && method !== "HEAD")
      return refuse(response, 405, InvalidRequest, `Invalid Request: expected GET or HEAD, received ${method}`, {
        allow: "GET, HEAD",
      });
    const [path = ""] = url.split("?", 1);
    const link = await links.read(path.slice(downloadPath.length), clock.now());
    const view = link?.view && (await store.links.view(link.view));
    if (link === undefined || (link.view !== undefined && view === undefined)) {
      const { code } = declaredError("AuthorizationError");
      telemetry.refused({ principal: undefined, headers: headersOf(request) }, { link: true });
      return refuse(response, 403, code, "Invalid or expired link; request a new one");
    }
    if (link.id !== undefined && (await store.links.isUsed(link.id))) return refuseUsed(request, response, link);
    const run = await store.runs.run(link.runId);
    const isStored = run?.result != null && !isExpired(run, clock.now());
    if (
      isStored &&
      fromStorage &&
      view === undefined &&
      method === "GET" &&
      (await redirected(run, link, request, response))
    )
      return;
    const opened = isStored ? await openResult(run, deps) : undefined;
    if (run?.result == null || opened === undefined) {
      const { code, message } = declaredError("QueryRunResultsExpired");
      return refuse(response, 410, code, message);
    }
    try {
      const file = { paths: opened.paths, view: view === undefined ? undefined : viewOf(view) };
      await answerWith({ ...run, result: run.result }, file, link, request, response);
    } finally {
      await opened.release();
    }
  }

  /** Redirects to the storage. Returns false if the storage does not have the file. */
  async function redirected(
    run: RunRecord,
    link: LinkedDownload,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const leftSeconds = Math.ceil((link.expiresAt - clock.now()) / 1_000);
    // The storage cannot count downloads, so the target of a link for one download is valid for a short time only.
    const expiresInSeconds = link.id === undefined ? leftSeconds : Math.min(leftSeconds, maxRedirectSeconds);
    const file = { format: link.format, contentDisposition: dispositionOf(link), expiresInSeconds };
    const location = await deps.results.downloadUrl?.(run, file);
    if (location === undefined) return false;
    if (link.id !== undefined && !(await store.links.use(link.id, link.expiresAt))) {
      refuseUsed(request, response, link);
      return true;
    }
    const reader = { principal: link.reader, headers: headersOf(request) };
    telemetry.read(reader, run.id, run.result?.totalBytes ?? 0, link.format);
    response.writeHead(302, { location, "cache-control": "private, no-store" }).end();
    return true;
  }

  async function answerWith(
    run: RunRecord & { readonly result: RunResult },
    file: { readonly paths: readonly string[]; readonly view: ResultView | undefined },
    link: LinkedDownload,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const headers = fileHeaders(link);
    if (request.method === "HEAD") return void response.writeHead(200, headers).end();
    const download = await downloads.open(run.tenantId, { ...run.result, ...file, format: link.format });
    if (download === undefined)
      return refuse(response, 503, InternalError, "Too many downloads at the same time; retry later", {
        "retry-after": "5",
      });
    const reader = { principal: link.reader, headers: headersOf(request) };
    await sendDownload(download, response, headers, {
      start: async () => {
        if (link.id === undefined || (await store.links.use(link.id, link.expiresAt))) return true;
        refuseUsed(request, response, link);
        return false;
      },
      onRead: (bytes) => telemetry.read(reader, run.id, bytes, link.format),
      onError: (error) => fail(error, `the result of ${run.id} could not be downloaded`, request, response),
    });
  }

  function refuseUsed(request: IncomingMessage, response: ServerResponse, { reader, runId }: LinkedDownload): void {
    telemetry.refused({ principal: reader, headers: headersOf(request) }, { link: true, runId });
    refuse(response, 410, declaredError("AuthorizationError").code, "Used link; request a new one");
  }

  /**
   * Ends a response after a failure, with the error of an outage or DuckDBError. If its headers were sent, closes the
   * connection: the missing last chunk tells the client that the response is incomplete.
   */
  function fail(error: unknown, text: string, request: IncomingMessage, response: ServerResponse): void {
    const outage = toMethodError(error);
    const isOutage = outage instanceof MethodError && outage !== error;
    if (!isOutage) log.error(text, error, { requestId: requestIdOf(headersOf(request)) });
    const { code, message, httpStatus = 500, headers } = isOutage ? outage : declaredError("DuckDBError");
    if (response.headersSent) response.destroy();
    else refuse(response, httpStatus, code, message, headers);
  }

  return (request, response) => {
    if (!request.url?.startsWith(downloadPath)) return false;
    const cors = corsOf(request.headers.origin ?? "", allowedOrigins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    response.setHeader("access-control-expose-headers", "content-disposition, retry-after, x-request-id");
    answer(request, response).catch((error: unknown) => fail(error, "a download failed", request, response));
    return true;
  };
}

function viewOf(text: string): ResultView {
  return JSON.parse(text) as ResultView; // written by `getQueryRunDownload` only
}

function dispositionOf({ runId, format, fileName }: LinkedDownload): string {
  return contentDisposition(fileName ?? downloadFileName("", runId, format));
}

function fileHeaders(link: LinkedDownload): Readonly<Record<string, string>> {
  return {
    "content-type": contentTypes[link.format],
    "content-disposition": dispositionOf(link),
    // The file is encoded while it is sent, so a range would cost as much as the whole file.
    "accept-ranges": "none",
    // A cached answer would outlive the link.
    "cache-control": "private, no-store",
  };
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
