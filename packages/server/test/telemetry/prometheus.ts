import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../fixture.ts";

/** Folder into which a package of Prometheus can be unpacked, for a machine on which it is not installed. */
const unpacked = join(homedir(), ".cache/quern-tools/prometheus/usr/bin");

/** Returns the path of a program of Prometheus, or its name if it is on the PATH; undefined if the machine lacks it. */
export function prometheusProgram(name: "prometheus" | "promtool"): string | undefined {
  const path = join(unpacked, name);
  if (existsSync(path)) return path;
  return spawnSync(name, ["--version"]).status === 0 ? name : undefined;
}

/** Prometheus that reads services each second. */
export interface Prometheus extends AsyncDisposable {
  /** Sets the services to read, as `host:port`. */
  read(services: readonly string[]): Promise<void>;
  /** Returns the labels of each series of a query, and its value. */
  query(expression: string): Promise<readonly QueriedSeries[]>;
}

interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @param rules text of a file of rules, which are evaluated each second */
export async function startPrometheus(program: string, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), "quern-prometheus-"));
  const targets = join(folder, "targets.json");
  const read = (services: readonly string[]) => writeFile(targets, JSON.stringify([{ targets: services }]));
  await read([]);
  await writeFile(join(folder, "rules.yml"), rules);
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yml"],
    scrape_configs: [{ job_name: "quern", file_sd_configs: [{ files: ["targets.json"], refresh_interval: "1s" }] }],
  };
  await writeFile(join(folder, "prometheus.yml"), JSON.stringify(config)); // JSON is YAML
  const address = `127.0.0.1:${await freePort()}`;
  const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const process = spawn(program, [...options, `--web.listen-address=${address}`, "--log.level=error"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  const answers = (path: string) => fetch(`http://${address}${path}`);
  await eventually(async () => (await answers("/-/ready").catch(() => undefined))?.ok === true);
  return {
    read,
    async query(expression) {
      const response = await answers(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      // The form is that of the HTTP API of Prometheus.
      const { data } = (await response.json()) as {
        data: { result: readonly { metric: QueriedSeries["metric"]; value: readonly [number, string] }[] };
      };
      return data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
