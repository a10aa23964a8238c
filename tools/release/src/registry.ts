import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { run } from "../../repo-rules/src/packed.ts";
import { root } from "../../repo-rules/src/tree.ts";

/**
 * Package registry on loopback that holds the packages published to it. All other packages come from the machine's
 * registry.
 */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** Environment with which npm and pnpm publish to this registry and install from it. */
  readonly environment: Readonly<Record<string, string>>;
}

// verdaccio's command does not support port 0, but its function does.
const PROGRAM = `
import { runServer } from "verdaccio";
const server = await runServer(JSON.parse(process.argv[1]));
server.listen(0, "127.0.0.1", () => console.log("listening " + server.address().port));
`;

/** Starts verdaccio with an empty storage in the folder. */
export async function startRegistry(folder: string): Promise<Registry> {
  const uplink = run("npm", ["config", "get", "registry"], folder).stdout.trim();
  const own = { access: "$all", publish: "$all" };
  const configuration = {
    configPath: join(folder, "verdaccio.yaml"),
    storage: join(folder, "storage"),
    uplinks: { machine: { url: uplink, cache: true, maxage: "1d", timeout: "60s" } },
    packages: { "@quern/*": own, quern: own, "**": { access: "$all", proxy: "machine" } },
    server: { keepAliveTimeout: 60 },
    max_body_size: "200mb",
    log: { type: "stdout", level: "error" },
    web: { enable: false },
  };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM, JSON.stringify(configuration)], {
    cwd: join(root, "tools/release"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = `http://127.0.0.1:${await port(child)}/`;
  // npm requires a token to publish; this registry accepts anonymous users and ignores it.
  const settings = join(folder, "registry.npmrc");
  writeFileSync(settings, `registry=${url}\n${url.replace("http:", "")}:_authToken=none\nupdate-notifier=false\n`);
  return {
    url,
    environment: {
      // npm passes settings to scripts under lower-case names. Both spellings are set, to replace the machine's
      // settings.
      npm_config_userconfig: settings,
      NPM_CONFIG_USERCONFIG: settings,
      npm_config_registry: url,
      NPM_CONFIG_REGISTRY: url,
      npm_config_cache: join(folder, "cache"),
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

function port(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`verdaccio ended with ${code} before it listened`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, found] = /^listening (\d+)$/.exec(line) ?? [];
      if (found === undefined) console.error(line);
      else resolve(found);
    });
  });
}
