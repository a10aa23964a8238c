import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binary, quernOn } from "../quern.ts";

let folder: string;
let on: Awaited<ReturnType<typeof quernOn>>;
let table: string;
let run: string;
beforeAll(async () => {
  on = await quernOn(createMockServer());
  table = JSON.parse((await on.run(["tables", "--json"])).stdout)[0].name;
  await on.run(["select 1 as n"]);
  run = (await on.run(["runs", "list", "--ids"])).stdout.trim();
  folder = await mkdtemp(join(tmpdir(), "quern-completion-"));
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "out"));
  await writeFile(join(folder, "my report.sql"), "select 1");
  await writeFile(join(folder, "out", "data.csv"), "");
  // A line that the shell has completed prints its words, and runs nothing.
  const command = [
    "#!/bin/sh",
    `case $1 in __complete | completion) exec "${process.execPath}" "${binary}" "$@" ;; esac`,
    "printf 'WORDS'; printf '<%s>' \"$@\"; echo",
  ];
  await writeFile(join(folder, "bin", "quern"), command.join("\n"));
  await chmod(join(folder, "bin", "quern"), 0o755);
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const environment = (more: Readonly<Record<string, string>> = on.env) => ({
  HOME: folder,
  PATH: `${folder}/bin:/usr/bin:/bin`,
  TERM: "xterm",
  LC_ALL: "C.UTF-8",
  ...more,
});

/**
 * Types lines into an interactive shell on a pseudo-terminal, and returns the words of the commands that it has run, without the slash
 * after a folder, which zsh removes at the end of a line.
 */
async function typed(shell: string, lines: readonly string[], env = environment()): Promise<readonly string[]> {
  const child = spawn("script", ["-qec", shell, "/dev/null"], { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  const output = await text(child.stdout);
  return [...output.matchAll(/^WORDS<(.*)>\s*$/gm)].map(([, words = ""]) => words.replace(/\/$/, ""));
}

/** Lines with the Tab key, and the words of the completed lines. */
const lines = (): readonly (readonly [line: string, words: string])[] => [
  ["quern doc\t", "doctor"],
  ["quern get-sql\t", "get-sql-statement"],
  ["quern runs li\t", "runs><list"],
  ["quern query --max-r\t5", "query><--max-rows><5"],
  ["quern query --format parq\t", "query><--format><parquet"],
  ["quern query --format=parq\t", "query><--format=parquet"],
  ["quern 'select 1' --max-r\t5", "select 1><--max-rows><5"],
  ["quern runs list --state can\t", "runs><list><--state><canceled"],
  ["quern query --file my\t", "query><--file><my report.sql"],
  ["quern query -o out/\t", "query><-o><out/data.csv"],
  ["quern query --file=my\t", "query><--file=my report.sql"],
  ["quern serve --data-dir ou\t", "serve><--data-dir><out"],
  ["quern query --data-source sam\t", "query><--data-source><samples"],
  [`quern describe ${table.slice(0, -1)}\t`, `describe><${table}`],
  [`quern result ${run.slice(0, 8)}\t`, `result><${run}`],
  ["quern query 'x' --unknown my\t", "query><x><--unknown><my"],
];

const shells = [
  ["bash", "bash --noprofile --norc -i", "source <(quern completion bash)"],
  ["zsh", "zsh -f -i", "autoload -U compinit; compinit -u; source <(quern completion zsh)"],
] as const;

describe.each(shells)("%s", (name, command, setup) => {
  const isMissing = !existsSync(`/bin/${name}`) && !existsSync(`/usr/bin/${name}`);
  it.skipIf(isMissing)("completes lines at the Tab key, unless the machine lacks it", async () => {
    const words = await typed(command, [setup, ...lines().map(([line]) => line), "exit"]);
    expect(words).toEqual(lines().map(([, expected]) => expected));
    const dead = environment({ QUERN_URL: "http://127.0.0.1:9", QUERN_API_KEY: "qk_none" });
    expect(await typed(command, [setup, "quern describe cars\t", "exit"], dead)).toEqual(["describe><cars"]);
  });
});

it.skipIf(!existsSync("/usr/bin/fish") /* the machine lacks fish */)(
  "fish lists the proposals with their texts",
  async () => {
    const candidates = async (line: string) => {
      const program = `quern completion fish | source; complete -C ${JSON.stringify(line)}`;
      const child = spawn("fish", ["--no-config", "-c", program], { cwd: folder, env: environment() });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect(stderr).toBe("");
      return stdout.trimEnd().split("\n");
    };
    expect(await candidates("quern doc")).toEqual([expect.stringMatching(/^doctor\tCheck this machine/)]);
    expect(await candidates("quern query --max-r")).toEqual([expect.stringMatching(/^--max-rows\tPrint at most/)]);
    expect(await candidates("quern query --format=parq")).toEqual(["--format=parquet"]);
    expect(await candidates("quern runs list --state can")).toEqual(["canceled"]);
    expect((await candidates("quern query --file my")).map((each) => each.split("\t")[0])).toEqual(["my report.sql"]);
    expect((await candidates("quern query --output=out/")).map((each) => each.split("\t")[0])).toEqual([
      "--output=out/data.csv",
    ]);
    expect((await candidates("quern serve --data-dir ou")).map((each) => each.split("\t")[0])).toEqual(["out/"]);
    expect((await candidates(`quern describe ${table.slice(0, -1)}`)).map((each) => each.split("\t")[0])).toEqual([
      table,
    ]);
  },
);

it("the script for PowerShell has balanced brackets", async () => {
  // PowerShell is in no package registry of the tests, so the script is only read.
  const script = await readFile(new URL("../../completion/quern.ps1", import.meta.url), "utf8");
  const count = (sign: string) => script.split(sign).length;
  expect([count("{"), count("("), count("[")]).toEqual([count("}"), count(")"), count("]")]);
  expect(script).toContain("Register-ArgumentCompleter -Native -CommandName quern");
});
