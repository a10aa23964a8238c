import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { listPageFiles, type PageFile } from "./page-files.ts";

/** Options of `openPage`. */
export interface PageOptions {
  /** Folder of the built page, with an `index.html`. */
  readonly directory: string;
  /** Path of the page in one segment, such as `/console/`. */
  readonly path: `/${string}/`;
  /** Returns why a request is refused with HTTP 403, such as for its host name; undefined if it is not. */
  readonly refusal?: (request: IncomingMessage) => string | undefined;
}

/** Answers requests of a page. Returns false for a request of another path, which it does not answer. */
export type Page = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The page runs its own files only, calls its own server only, and no other page can embed it or keep a handle of it. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Returns the folder `dist` of a package with a built page: from the current folder, or else from beside the caller.
 * Returns undefined if the package is not installed.
 * @param beside folder of the caller
 */
export function findPageFolder(packageName: string, beside = import.meta.dirname): string | undefined {
  try {
    const paths = [process.cwd(), beside];
    return join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`, { paths })), "dist");
  } catch {
    return undefined;
  }
}

/**
 * Opens a built page. Its files are listed once; a request can reach no other file. `/` leads browsers, which accept
 * HTML, to the page. All addresses are relative, so that a proxy may serve the page below a prefix.
 * @throws if the folder has no `index.html`
 */
export async function openPage({ directory, path, refusal }: PageOptions): Promise<Page> {
  const files = await listPageFiles(directory);
  const index = files.get("index.html");
  if (index === undefined) throw new Error(`Invalid page: ${directory} has no index.html.`);
  const redirects: ReadonlySet<string> = new Set(["/", path.slice(0, -1)]);

  return (request, response) => {
    const [url = ""] = (request.url ?? "").split("?", 1);
    const isRedirect = redirects.has(url);
    if (!isRedirect && !url.startsWith(path)) return false;
    if (url === "/" && !(isRead(request) && acceptsHtml(request))) return false;
    const refused = refusal?.(request);
    // The path is compared as it was sent: no file has a name with `%`, so that nothing has to be decoded.
    const file = url === path ? index : files.get(url.slice(path.length));
    if (refused !== undefined) sendText(response, 403, refused);
    else if (!isRead(request)) sendText(response, 405, "Method not allowed; use GET.", { allow: "GET, HEAD" });
    else if (isRedirect) sendText(response, 302, "See the page.", { location: path.slice(1), vary: "accept" });
    else if (file === undefined) sendText(response, 404, "Not found.");
    else sendFile(request, response, file).catch(() => sendText(response, 500, "The file cannot be read."));
    return true;
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? "");
}

async function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile): Promise<void> {
  const { bytes, gzip, etag } = await file.content();
  const headers = {
    ...securityHeaders,
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    etag,
    vary: "accept-encoding",
  };
  if (isKnown(request, etag)) return void response.writeHead(304, headers).end();
  const packed = acceptsGzip(request) ? gzip : undefined;
  const body = packed ?? bytes;
  const encoding = packed === undefined ? {} : { "content-encoding": "gzip" };
  response.writeHead(200, { ...headers, ...encoding, "content-type": file.type, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Returns true if the client has the content of a tag. */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers["if-none-match"]?.split(",").map((tag) => tag.trim()) ?? [];
  return known.some((tag) => tag === "*" || `W/${tag.replace(/^W\//, "")}` === etag);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers["accept-encoding"] ?? "").split(",");
  return accepted.some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    ...securityHeaders,
    "cache-control": "no-cache",
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...more,
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
