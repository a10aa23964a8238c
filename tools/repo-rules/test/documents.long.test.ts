import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runnersGuide } from "../src/runners-guide.ts";
import { API_KEY, cli, type Service, start } from "../src/service.ts";
import { documents, type Snippet, snippets } from "../src/snippets.ts";
import { read, root } from "../src/tree.ts";

/** Commands that set a machine up: `start.long.test.ts` and the rehearsal of a release run them. */
const SET_UP =
  /^(npm (install|start|test|run (?!quern))|npx quern serve|(VITE_PANELS=tpch )?node tools\/bootstrap|export |cd |git clone|#|$)/;

/** Commands of programs that need a container runtime or a cluster, which the tests do not have. */
const CONTAINERS = /^(docker|kubectl) /;

const work = mkdtempSync(join(tmpdir(), "quern-documents-"));
// Below this folder, so that snippets find the packages they import.
const scripts = join(root, "tools/repo-rules/.snippets/documents");
let service: Service;

beforeAll(async () => {
  const load = spawnSync(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", join(work, "data")]);
  expect(load.status, String(load.stderr)).toBe(0);
  service = await start("serve", "--data-dir", join(work, "data"));
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(work, "quern"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(work, "quern"), 0o755);
});
afterAll(async () => {
  await service?.stop();
  rmSync(work, { recursive: true, force: true });
  rmSync(scripts, { recursive: true, force: true });
});

interface Outcome {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[]): Promise<Outcome> {
  const env = {
    ...process.env,
    PATH: `${work}${delimiter}${process.env.PATH}`,
    QUERN_URL: service.url,
    QUERN_API_KEY: API_KEY,
  };
  return new Promise((resolve) => {
    // The data directory of the service is `./data`, as in the documents. The time limit ends commands that hang.
    execFile(command, args, { cwd: work, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const known = /.*(ExperimentalWarning|--trace-warnings).*\n/g;
      resolve({ failed: error !== null, stdout, stderr: stderr.replace(known, "") });
    });
  });
}

const isSetUp = (snippet: Snippet) =>
  snippet.language === "sh" && snippet.code.split("\n").every((line) => SET_UP.test(line.trim()));
const all = documents().flatMap(snippets);
/** Documents whose commands need a database, object storage, a server or a test runner: each has a test of its own. */
const tested = [
  runnersGuide,
  "docs/guides/deploy.md",
  "docs/guides/load-your-tables.md",
  "docs/guides/move-to-several-servers.md",
  "docs/guides/other-engines.md",
  "examples/notebook/README.md",
  "examples/sqlite-source/README.md",
];
const runnable = all.filter(
  (snippet) =>
    !isSetUp(snippet) &&
    !snippet.code.includes("cp backup/quern.db") && // needs a stopped service: `operators-guide.long.test.ts`
    !CONTAINERS.test(snippet.code) &&
    !tested.includes(snippet.file) &&
    ["sh", "js", "ts"].includes(snippet.language),
);

describe("documents", () => {
  it.concurrent.each(runnable.map((snippet) => [`${snippet.file}:${snippet.line}`, snippet] as const))(
    "%s runs",
    async (at, snippet) => {
      const script = join(scripts, `${at.replace(/\W+/g, "-")}.${snippet.language === "ts" ? "ts" : "mjs"}`);
      if (snippet.language !== "sh") writeFileSync(script, snippet.code);
      const { failed, stdout, stderr } =
        snippet.language === "sh"
          ? // The command of the checkout, without the build that precedes it.
            await run("sh", ["-euc", snippet.code.replaceAll("npm run quern -- ", "quern ")])
          : await run(process.execPath, [script]);

      expect({ failed, stderr }, stdout).toEqual({ failed: false, stderr: expect.not.stringMatching(/error/i) });
      if (snippet.output === undefined) expect(stdout).not.toBe("");
      else expect(stdout.trimEnd()).toBe(snippet.output.trimEnd());
    },
  );

  it("show the query of `npm start` with its real result", async () => {
    const output = snippets("README.md").find(({ code }) => code === "npm start\n")?.output ?? "";
    const [, question = "", answer] = output.match(/^\$ quern query "(.+)"\n([\s\S]+)$/m) ?? [];
    expect(read("tools/bootstrap/start.mjs")).toContain(`"${question}"`);
    const { stdout } = await run("quern", ["query", question, "--format", "table"]);
    expect(answer).toBe(stdout);
  });
});
