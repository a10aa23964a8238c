import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".png": "image/png",
  ".md": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

export interface SiteServer extends AsyncDisposable {
  /** Address of the folder, with a slash at its end. */
  readonly url: string;
}

/**
 * Serves a folder on loopback, as a web server of static files does.
 * @param prefix path before that of the file @param onFile receives the path of each file that is sent
 */
export async function serve(
  folder: string,
  { port = 0, prefix = "/", onFile }: { port?: number; prefix?: string; onFile?: (path: string) => void } = {},
): Promise<SiteServer> {
  const server = createServer(({ url = "/" }, reply) => {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    const file = path.startsWith(prefix) ? join(folder, normalize(`/${path.slice(prefix.length)}`)) : "";
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    if (isFolder && !path.endsWith("/")) return void reply.writeHead(301, { location: `${path}/` }).end();
    const found = isFolder ? join(file, "index.html") : file;
    if (existsSync(found)) {
      onFile?.(found);
      reply.writeHead(200, { "content-type": types[extname(found)] ?? "application/octet-stream" });
      reply.end(readFileSync(found));
    } else {
      const page = join(folder, "404.html");
      reply.writeHead(404, { "content-type": types[".html"] }).end(existsSync(page) ? readFileSync(page) : "Not found");
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
