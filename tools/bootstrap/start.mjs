// `npm start`: builds, loads the sample data, starts the service on loopback, runs the README's example query with the CLI, and
// keeps serving. `-- --exit` ends after the query; `-- --port N` and `-- --data-dir DIR` are as in `quern serve`. If the port is in
// use, the service listens on a free port.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";

const EXAMPLE =
  "select origin, count(*) as cars, round(avg(miles_per_gallon), 1) as mpg from cars group by origin order by cars desc";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "packages/cli/bin/quern.js");
const options = readOptions();
const dataDir = resolve(root, options["data-dir"]);

function readOptions() {
  try {
    return parseArgs({
      options: {
        exit: { type: "boolean", default: false },
        port: { type: "string", default: "8080" },
        "data-dir": { type: "string", default: ".quern" },
      },
    }).values;
  } catch (error) {
    console.error(`npm start: ${error.message}; use --port, --data-dir and --exit, after \`npm start --\``);
    process.exit(2);
  }
}

/** Resolves to true if the port is in use. `quern serve` reports an invalid port. */
function isInUse(port) {
  if (!/^\d+$/.test(port) || Number(port) > 65_535) return false;
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", ({ code }) => resolve(code === "EADDRINUSE"));
    probe.listen(Number(port), "127.0.0.1", () => probe.close(() => resolve(false)));
  });
}

/** Returns `QUERN_API_KEY`, else the key of the last start, else a new key, which the next start uses again. */
function apiKey() {
  if (process.env.QUERN_API_KEY) return process.env.QUERN_API_KEY;
  const file = join(dataDir, "start.key");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  mkdirSync(dataDir, { recursive: true });
  const key = `qk_start_${randomBytes(24).toString("base64url")}`;
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

function step(script, ...args) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

build("@quern/cli", "@quern/console", "@quern/server", "@quern/mock-server");
step("tools/samples/src/main.ts", "--data-dir", dataDir);

const environment = { ...process.env, QUERN_API_KEY: apiKey() };
const port = (await isInUse(options.port)) ? "0" : options.port;
const service = spawn(process.execPath, [cli, "serve", "--open", "--port", port, "--data-dir", dataDir], {
  env: environment,
  stdio: ["ignore", "pipe", "inherit"],
});
const stopped = new Promise((end) => service.on("exit", (code) => end(code ?? 1)));
// A terminal sends Ctrl-C to the service, too, which closes itself.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => service.kill("SIGTERM"));

let consoleLink;
const ready = new Promise((resolve) => {
  createInterface({ input: service.stdout }).on("line", (line) => {
    if (line.startsWith("quern listening on ")) resolve(line.replace("quern listening on ", ""));
    else if (line.startsWith("console: ")) consoleLink = line.replace("console: ", "");
  });
});
const url = await Promise.race([ready, stopped.then(() => undefined)]);
if (url === undefined) process.exit(await stopped);

if (port !== options.port) console.log(`port in use: ${options.port}; the service listens on a free port`);
console.log(`quern listening on ${url}\n\n$ quern query "${EXAMPLE}"`);
const query = spawnSync(process.execPath, [cli, "query", EXAMPLE, "--format", "table"], {
  env: { ...environment, QUERN_URL: url },
  stdio: "inherit",
});
if (options.exit || query.status !== 0) {
  service.kill("SIGTERM");
  await stopped;
  process.exit(query.status ?? 1);
}
if (consoleLink !== undefined)
  console.log(`
Open the console in a browser. The link works once, for 5 minutes; afterwards, sign in with the API key:

  ${consoleLink}`);
console.log(`
The service keeps running until you press Ctrl-C. In another terminal, in this folder:

  export QUERN_URL=${url} QUERN_API_KEY=${environment.QUERN_API_KEY}
  npm run quern -- query "select * from cars limit 5"
  npm run quern -- query "show tables"
`);
process.exit(await stopped);
