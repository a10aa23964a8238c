import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);
/** Size from which a file is compressed: a smaller one fits into one packet. */
const minCompressedBytes = 1_000;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
const compressedTypes = new Set([".ico", ".png", ".woff2"]);

/** File of a built page. */
export interface PageFile {
  readonly type: string;
  /** True if the name has a hash of the content, so that another version has another name. */
  readonly isHashed: boolean;
  /** Reads the file at the first call. */
  content(): Promise<PageContent>;
}

interface PageContent {
  readonly bytes: Uint8Array;
  /** Undefined for a small file, and for one whose format is compressed. */
  readonly gzip: Uint8Array | undefined;
  readonly etag: string;
}

/**
 * Lists the regular files of a folder and its subfolders, by their paths with `/`. Omits symbolic links, also to
 * folders, and names that begin with a dot.
 */
export async function listPageFiles(directory: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await listNames(directory, "");
  return new Map(names.map((name) => [name, pageFile(name, join(directory, name))]));
}

/** @param prefix path of the folder with a slash at its end; empty for the root */
async function listNames(root: string, prefix: string): Promise<readonly string[]> {
  // The option `recursive` of `readdir` follows symbolic links to folders.
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith("."));
  const files = visible.filter((entry) => entry.isFile()).map(({ name }) => `${prefix}${name}`);
  const folders = visible.filter((entry) => entry.isDirectory()).map(({ name }) => `${prefix}${name}/`);
  const inFolders = await Promise.all(folders.map((folder) => listNames(root, folder)));
  return [...files, ...inFolders.flat()];
}

function pageFile(name: string, path: string): PageFile {
  const extension = extname(path);
  let content: Promise<PageContent> | undefined;
  return {
    type: types[extension] ?? "application/octet-stream",
    isHashed: /^assets\/(?:.*\/)?[^/]+-[\w-]{8}\.\w+(?:\.map)?$/.test(name),
    content() {
      content ??= read(path, !compressedTypes.has(extension)).catch((error: unknown) => {
        content = undefined;
        throw error;
      });
      return content;
    },
  };
}

async function read(path: string, isCompressible: boolean): Promise<PageContent> {
  const bytes = await readFile(path);
  const etag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const isWorthIt = isCompressible && bytes.length >= minCompressedBytes;
  return { bytes, gzip: isWorthIt ? await compress(bytes, { level: 9 }) : undefined, etag };
}
