import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bounded } from "../measure.ts";
import type { Service } from "../service.ts";

const BROWSERS = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/**
 * Opens a page of fifty slow panels that read `state` in Chromium, and counts its requests and the renders of its panels.
 * @param rows Number of rows that the statement of each panel reads.
 */
export async function slowPanels(service: Service, rows: number): Promise<void> {
  const chromium = BROWSERS.find((path) => existsSync(path));
  if (chromium === undefined) return console.log("fifty slow panels that read state: no Chromium on this machine");
  const script = await pageScript(rows);
  const calls = new Map<string, number>();
  let requests = 0;
  const { promise, resolve } = Promise.withResolvers<readonly (readonly string[])[]>();
  const server = createServer(async (request, response) => {
    if (request.url === "/figures") return resolve((await json(request)) as readonly (readonly string[])[]); // by the page
    if (request.method !== "POST")
      return response
        .setHeader("content-type", "text/html")
        .end(`<body></body><script type="module">${script}</script>`);
    requests += 1;
    const body = await text(request);
    for (const [, method = ""] of body.matchAll(/"method":"(\w+)"/g)) calls.set(method, (calls.get(method) ?? 0) + 1);
    const headers = { "content-type": "application/json", "x-api-key": service.apiKey };
    const answer = await fetch(`${service.url}/json-rpc`, { method: "POST", headers, body });
    return response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const profile = mkdtempSync(join(tmpdir(), "quern-bench-chromium-"));
  const start = performance.now();
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
  const page = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const browser = spawn(chromium, [...flags, page], { stdio: "ignore" });
  const shown = await promise;
  const ms = performance.now() - start;
  const closed = new Promise((exit) => browser.once("exit", exit));
  browser.kill();
  await closed;
  server.closeAllConnections();
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });

  console.log(
    `fifty slow panels that read state, in Chromium: the last has its rows after ${(ms / 1000).toFixed(1)} s`,
  );
  console.log(`  ${[...calls].map(([method, count]) => `${count} ${method}`).join(", ")}`);
  bounded({ what: "  HTTP requests", value: requests, atMost: 35 });
  const repeated = shown.map((states) => states.filter((state, at) => state === states[at - 1]).length);
  bounded({ what: "  renders of a panel without a new state", value: Math.max(...repeated), atMost: 0 });
}

async function pageScript(rows: number): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./slow-page.ts", import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"', PAGE_ROWS: String(rows) },
  });
  return outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "";
}
