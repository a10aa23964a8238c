import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/generated/commands.ts";
import { quernOn } from "../quern.ts";

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
    const page = ["--page-number", "2", "--page-size", "1", "--filters", '[{"column":"cars","lt":100}]'];
    expect(
      await result("get-query-run-results", "--query-run-id", queryRun.id, "--format", "json", ...page),
    ).toMatchObject({
      rows: [{ origin: "Europe", cars: 73 }],
      page: { totalRows: 2, totalPages: 2 },
    });
  });

  it.each(commands.map(({ name, brief, examples, flags }) => ({ name, brief, examples, flags })))(
    "$name has help from the document",
    async ({ name, examples, flags }) => {
      const { status, stdout, stderr } = await on.run(["help", name]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      for (const { line } of examples) expect(stdout).toContain(line);
      for (const flag of flags) expect(stdout).toContain(`--${flag.name}`);
    },
  );

  it.each([
    [["get-query-run", "--query-run-id", "none"], 8, /QueryRunNotFound/],
    [["get-query-run"], 2, /--query-run-id/],
    [["get-query-run", "--query-run-id", "a", "--wait-seconds", "many"], 2, /expected a number/],
    [["get-query-run", "--query-run-id", "a", "--wait-seconds", "51"], 2, /waitSeconds/],
    [["list-query-runs", "--states", "[READY]"], 2, /expected JSON/],
    [["list-query-runs", "--tag", "env"], 2, /key=value/],
    [["get-query-rum"], 2, /did you mean `get-query-run`/],
  ])("%j exits with %i", async (words, status, line) => {
    const ended = await on.run(words);
    expect(ended).toMatchObject({ status, stdout: "", stderr: expect.stringMatching(line) });
    expect(ended.stderr).toMatch(/^quern: .*\n$/);
  });
});

describe("quern", () => {
  it("lists every command and how to begin", async () => {
    const { status, stdout } = await on.run([]);
    expect(status).toBe(0);
    for (const name of ["query", "serve", "mock", ...commands.map((command) => command.name)])
      expect(stdout).toContain(`\n  ${name} `);
  });

  it("tells its version", async () => {
    expect((await on.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
