import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { binary, firstLine, withoutWarnings } from "../../../cli/test/quern.ts";
import { type Postgres, startPostgres } from "../../../duckdb/test/sources/postgres.ts";
import { execute } from "../../../postgres/test/store/fixture.ts";
import { credentials, startStorage, type TestStorage } from "../storage.ts";

type Environment = Readonly<Record<string, string>>;

/** Keeps no result in the record of its run, so that each small result of a test is a file, too. */
export const onlyFiles = { QUERN_LIMITS_MAX_SMALL_RESULT_BYTES: "0" };

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningServer {
  readonly url: string;
  /** Ends the server, and waits for that. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A database, a bucket and a folder, between which a service moves, with processes of the built command line. */
export interface Places extends AsyncDisposable {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly storage: TestStorage;
  /** Settings of servers on the database and the bucket. */
  readonly shared: Environment;
  run(words: readonly string[], env?: Environment): Promise<Ended>;
  /** Runs a command, and kills it with SIGKILL when a condition holds. Returns true if it was killed. */
  runUntil(words: readonly string[], env: Environment, holds: () => Promise<boolean>): Promise<boolean>;
  serve(words: readonly string[], env?: Environment): Promise<RunningServer>;
  /** Returns the rows of a statement of the database; none while it fails, such as before there are tables. */
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const bucket = "service";

/** @param installation of PostgreSQL. @default that of the npm package */
export async function createPlaces(installation?: string): Promise<Places> {
  const folder = await mkdtemp(join(tmpdir(), "quern-moving-"));
  const postgres = await startPostgres({ installation });
  const storage = await startStorage();
  const address = await storage.createBucket(bucket);
  const running = new Set<ChildProcess>();

  function start(words: readonly string[], env: Environment) {
    const child = spawn(process.execPath, ["--no-warnings", binary, ...words], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const exit = once(child, "exit").then(() => running.delete(child));
    return { child, exit };
  }

  return {
    folder,
    postgres,
    storage,
    shared: { QUERN_STORE: postgres.url, QUERN_RESULTS: address, ...onlyFiles },
    async run(words, env = {}) {
      const { child, exit } = start(words, env);
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
      return { status: child.exitCode, stdout, stderr: withoutWarnings(stderr) };
    },
    async runUntil(words, env, holds) {
      const { child, exit } = start(words, env);
      for (const stream of [child.stdout, child.stderr]) stream.resume();
      while (child.exitCode === null) {
        if (await holds()) {
          child.kill("SIGKILL");
          break;
        }
        await sleep(5);
      }
      await exit;
      return child.signalCode === "SIGKILL";
    },
    async serve(words, env = {}) {
      const { child, exit } = start(["serve", "--port", "0", "--json", ...words], env);
      const ended = Promise.all([text(child.stderr), exit]).then(([stderr]) => ({ stderr: withoutWarnings(stderr) }));
      const { url } = JSON.parse(await firstLine({ stdout: child.stdout, ended }));
      return {
        url,
        async end(signal) {
          child.kill(signal);
          await ended;
        },
      };
    },
    rows: (sql) => execute(postgres.url, sql).catch(() => []),
    async [Symbol.asyncDispose]() {
      for (const child of running) child.kill("SIGKILL");
      await storage[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
