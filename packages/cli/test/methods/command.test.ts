import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMockServer } from "@quern/mock-server";
import {
  type Application,
  buildApplication,
  buildRouteMap,
  type CommandContext,
  generateHelpTextForAllCommands,
} from "@stricli/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../../src/application.ts";
import { commands } from "../../src/generated/commands.ts";
import { methodCommand } from "../../src/methods/command.ts";
import type { MethodCommand } from "../../src/methods/method-command.ts";
import { quern, quernOn } from "../quern.ts";

let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(createMockServer());
});
afterAll(() => on[Symbol.asyncDispose]());

async function result(...words: string[]) {
  const { status, stdout, stderr } = await on.run(words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("a deprecated flag", () => {
  it("is marked in the help", () => {
    const flag = { name: "old-id", path: ["oldId"], kind: "string", required: false, brief: "The old id." } as const;
    const command = { ...commands[0], flags: [{ ...flag, deprecated: true }] } as MethodCommand;
    const routes = buildRouteMap({ routes: { old: methodCommand(command) }, docs: { brief: "Commands." } });
    // Help does not use the context.
    const application = buildApplication(routes, { name: "quern" }) as unknown as Application<CommandContext>;
    const [[, text] = []] = generateHelpTextForAllCommands(application).filter(([path]) => path === "quern old");
    expect(text).toMatch(/--oldId\]?\s+Deprecated\. The old id\./);
  });
});

describe("a method's command", () => {
  it("calls the method and prints its result as JSON", async () => {
    const { queryRun, queryRequest } = await result(
      "create-query-run",
      "--sql",
      "select 1",
      "--tag",
      "env=test",
      "--tag",
      "source=cli=1",
      "--max-age-minutes",
      "5",
    );
    expect(queryRequest).toMatchObject({ maxAgeMinutes: 5, tags: { env: "test", source: "cli=1" } });
    expect(await result("get-query-run", "--query-run-id", queryRun.id)).toMatchObject({
      queryRun: { state: "QUERY_STATE_SUCCESS" },
    });
    const page = [
      "--page-number",
      "2",
      "--page-size",
      "1",
      "--filters",
      '[{"or":[{"column":"cars","lt":79},{"column":"cars","eq":79}]}]',
    ];
    expect(
      await result("get-query-run-results", "--query-run-id", queryRun.id, "--format", "json", ...page),
    ).toMatchObject({
      rows: [{ origin: "Europe", cars: 73 }],
      page: { totalRows: 2, totalPages: 2 },
    });
  });

  it.each([
    [["--states", "QUERY_STATE_SUCCESS"], 1],
    [["--states", "QUERY_STATE_RUNNING,QUERY_STATE_SUCCESS"], 1],
    [["--states", "QUERY_STATE_RUNNING", "--states", "QUERY_STATE_SUCCESS"], 1],
    [["--states", '["QUERY_STATE_SUCCESS"]'], 1],
    [["--states", "QUERY_STATE_RUNNING"], 0],
  ])("takes a list as %j", async (words, count) => {
    await using other = await quernOn(createMockServer());
    await other.run(["create-query-run", "--sql", "select 1", "--wait-seconds", "1"]);
    const { stdout, stderr } = await other.run(["list-query-runs", ...words]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).queryRuns).toHaveLength(count);
  });

  it.each(commands.map(({ name, examples, flags }) => ({ name, examples, flags })))(
    "$name has help from the document",
    async ({ name, examples, flags }) => {
      // Help does not use the context.
      const application = (await createApplication(undefined, false)) as unknown as Application<CommandContext>;
      const text = new Map(generateHelpTextForAllCommands(application)).get(`quern ${name}`);
      for (const { line } of examples) expect(text).toContain(line);
      for (const flag of flags) expect(text).toContain(`--${flag.name}`);
    },
  );

  it.each(["query", "conform-client", "migrate-store"])("is not loaded for quern %s", async (word) => {
    const application = (await createApplication(word, false)) as unknown as Application<CommandContext>;
    const names = generateHelpTextForAllCommands(application).map(([name]) => name);
    expect(names).toContain(`quern ${word}`);
    expect(names).not.toContain("quern get-query-run");
  });

  it.each([
    ["tag", /--tag\b.*key=value/],
    ["parameters", /--parameters\b.*Written as JSON\./],
  ])("create-query-run has the syntax of --%s in its help", async (_, syntax) => {
    expect((await on.run(["create-query-run", "--help"])).stdout).toMatch(syntax);
  });

  it.each([
    [["get-query-run", "--query-run-id", "none"], 8, /QueryRunNotFound/],
    [["get-query-run"], 2, /--query-run-id/],
    [["list-query-runs", "--timeout-seconds", "0"], 2, /seconds/],
    [
      ["get-query-run", "--query-run-id", "a", "--wait-seconds", "many"],
      2,
      /invalid --wait-seconds: expected a number, got "many"/,
    ],
    [["get-query-run", "--query-run-id", "a", "--wait-seconds", "51"], 2, /waitSeconds/],
    [["list-query-runs", "--states", "[READY]"], 2, /expected JSON/],
    [["list-query-runs", "--tag", "env"], 2, /key=value/],
    [["get-query-rum"], 2, /did you mean `get-query-run`/],
    [["get-query-run-results", "--page", "5"], 2, /unknown flag: --page; did you mean --page-size\?/],
  ])("%j exits with %i", async (words, status, line) => {
    const ended = await on.run(words);
    expect(ended).toMatchObject({ status, stdout: "", stderr: expect.stringMatching(line) });
    expect(ended.stderr).toMatch(/^quern: .*\n$/);
  });
});

it("a method's command waits at most --timeout-seconds", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo; // it listens on a port
  const env = { ...on.env, QUERN_URL: `http://127.0.0.1:${port}` };
  expect(await quern(["list-query-runs", "--timeout-seconds", "0.05"], env)).toEqual({
    status: 6,
    stdout: "",
    stderr: "quern: listQueryRuns: not done within 50 ms; allow more time with --timeout-seconds\n",
  });
  silent.close();
});

describe("quern", () => {
  it("lists every command and how to begin", async () => {
    const { status, stdout } = await on.run([]);
    expect(status).toBe(0);
    for (const name of ["query", "serve", "mock", ...commands.map((command) => command.name)])
      expect(stdout).toContain(`\n  ${name} `);
  });

  it("prints its help for each way to request it", async () => {
    const texts = [
      ["query", "--help"],
      ["query", "-h"],
      ["help", "query"],
    ].map(async (words) => (await on.run(words)).stdout);
    const [text, ...others] = await Promise.all(texts);
    expect(text).toContain("EXIT CODES");
    expect(others).toEqual([text, text]);
  });

  it("prints its version", async () => {
    expect((await on.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

it("a flag of a method has its text, syntax, default and choices in the help", () => {
  const flag = { path: ["a"], required: false, brief: "Text." } as const;
  const flags: MethodCommand["flags"] = [
    { ...flag, name: "plain-text", kind: "string", required: true },
    { ...flag, name: "number", kind: "number", default: 0 },
    { ...flag, name: "switch", kind: "boolean", default: false },
    { ...flag, name: "map", kind: "map", deprecated: true, default: { a: 1 } },
    { ...flag, name: "list", kind: "list" },
    { ...flag, name: "json-value", kind: "json" },
    { ...flag, name: "choice", kind: "string", choices: ["a", "b"] },
  ];
  const examples = [
    { brief: "One.", line: "quern one" },
    { brief: "Two.", line: "quern two" },
  ];
  const command = { ...commands[0], flags, examples, description: "All of it." } as MethodCommand;
  const routes = buildRouteMap({ routes: { one: methodCommand(command) }, docs: { brief: "Commands." } });
  // Help does not use the context.
  const application = buildApplication(routes, { name: "quern" }) as unknown as Application<CommandContext>;
  const [[, text] = []] = generateHelpTextForAllCommands(application);
  const lines = text?.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "  ")) ?? [];
  expect(lines.slice(lines.indexOf("FLAGS") + 1).slice(0, 7)).toEqual([
    "--plainText  Text.",
    "[--number]  Text. Default: 0.",
    "[--switch/--noSwitch]  Text. Default: false.",
    '[--map]...  Deprecated. Text. Written as key=value; may be repeated. Default: {"a":1}.',
    "[--list]...  Text. Separated by commas, or as a JSON array; may be repeated.",
    "[--jsonValue]  Text. Written as JSON.",
    "[--choice]  Text.  [a|b]",
  ]);
  expect(text).toContain("\n\nAll of it.\n\nEXAMPLES\n  # One.\n  quern one\n  # Two.\n  quern two\n\nFLAGS\n");
  expect(lines[1]).toMatch(/^quern one \(--plainText text\) /);
});
