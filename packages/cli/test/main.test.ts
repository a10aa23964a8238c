import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { type Application, type CommandContext, generateHelpTextForAllCommands } from "@stricli/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApplication } from "../src/application.ts";
import { main } from "../src/main.ts";

const usageAction = "../src/commands/usage/action.ts";
afterEach(() => void vi.doUnmock(usageAction));

async function started(words: readonly string[], exitCode?: number) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough(), stdin: new PassThrough() };
  const exit = vi.fn();
  const process = Object.assign(new EventEmitter(), { env: {}, exit, exitCode, cwd: () => ".", ...streams });
  await main(words, process as unknown as NodeJS.Process);
  return { process, exit, ...streams };
}

describe("the process of the command line", () => {
  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 1],
  ])("ends if its output fails with %s: with %i", async (code, status) => {
    const { stdout, exit } = await started(["--version"]);
    stdout.emit("error", Object.assign(new Error("lost"), { code }));
    expect(exit.mock.calls).toEqual([[status]]);
  });

  it("goes on without messages if its terminal is closed", async () => {
    const { stderr, exit } = await started(["--version"]);
    expect(() => stderr.emit("error", new Error("EIO"))).not.toThrow();
    expect(exit).not.toHaveBeenCalled();
  });

  it.each([
    [["--version"], undefined, 0],
    [["--version"], 5, 5],
    [["frobnicate"], undefined, 2],
    [["usage", "--month", "x"], undefined, 2],
  ])("of %j, which has the exit code %j, ends with %i", async (words, before, status) => {
    const { process, exit } = await started(words, before);
    expect(process.exitCode).toBe(status);
    expect(exit).not.toHaveBeenCalled();
  });

  it.each([
    [128, 0],
    [129, 1],
    [143, 1],
  ])("with the code %i of a signal and unread output ends at once: %i", async (code, times) => {
    const { exit } = await started(["--version"], code);
    expect(exit).toHaveBeenCalledTimes(0);
    const slow = Object.defineProperty(new PassThrough(), "writableLength", { value: 1 });
    const process = Object.assign(new EventEmitter(), { env: {}, exit, exitCode: code, cwd: () => "." });
    const streams = { stdout: slow, stderr: new PassThrough(), stdin: new PassThrough() };
    await main(["--version"], Object.assign(process, streams) as unknown as NodeJS.Process);
    expect(exit).toHaveBeenCalledTimes(times);
  });

  it.each([
    [[], "quern: no such module; set QUERN_DEBUG=1 to print the stack\n"],
    [
      ["--json"],
      `${JSON.stringify({ kind: "unexpected", exitCode: 1, message: "no such module", hint: "set QUERN_DEBUG=1 to print the stack" })}\n`,
    ],
  ])("reports a command that cannot be loaded with %j", async (words, text) => {
    vi.resetModules();
    vi.doMock(usageAction, () => ({
      get runUsage() {
        throw new Error("no such module");
      },
    }));
    const { process, stderr } = await started(["usage", ...words]);
    expect([String(stderr.read()), process.exitCode]).toEqual([text, 1]);
  });
});

it.each([
  ["query", ["query"]],
  ["--version", []],
  ["tables", ["query", "tables"]],
  ["get-query-run", ["query", "tables", "get-query-run"]],
  ["toString", ["query", "tables", "get-query-run"]],
  [undefined, ["query", "tables", "get-query-run"]],
])("for quern %s, of three commands %j are loaded", async (word, loaded) => {
  // Help does not use the context.
  const application = (await createApplication(word, false)) as unknown as Application<CommandContext>;
  const names = generateHelpTextForAllCommands(application).map(([name]) => name);
  expect(["query", "tables", "get-query-run"].filter((name) => names.includes(`quern ${name}`))).toEqual(loaded);
});
