import { getEventListeners } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { AdversaryCase, CaseCall } from "../../src/client/case.ts";
import { CommandError, commandRunner } from "../../src/client/command.ts";

const poll: CaseCall = { method: "getQueryRun", params: { queryRunId: "a" } };
const one: AdversaryCase = { name: "a case", calls: [poll], faults: [], endings: ["right"] };
const service = { url: "http://127.0.0.1:9", apiKey: "k", timeoutMs: 1_000 };
const run = (command: string, more: Partial<AdversaryCase> = {}, signal = new AbortController().signal) =>
  commandRunner(command)({ ...one, ...more }, service, signal);
const prints = (output: unknown) => `cat > /dev/null; echo '${JSON.stringify(output)}'`;
const instead = 'instead of {"endings":[…]}';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-command-"));
});
afterAll(() => rm(folder, { recursive: true }));

it.each<[Partial<AdversaryCase>, object]>([
  [{}, { calls: [poll] }],
  [
    { calls: [poll, poll], sequence: [poll] },
    { calls: [poll, poll], sequence: [poll] },
  ],
  [{ query: { sql: "select 1", pageSize: 2 } }, { calls: [poll], query: { sql: "select 1", pageSize: 2 } }],
])("a command with %j reads the service and the calls from stdin", async (more, read) => {
  const path = join(folder, "input.json");
  await run(`cat > ${path}`, more);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ ...service, ...read });
});

it.each(["network", "timeout", "aborted", "protocol", "failed", "canceled", "http 502", "rpc -32000", "undeclared -5"])(
  "takes the error %s for the ending of its call",
  async (error) => {
    expect(await run(prints({ endings: [{ error }] }))).toEqual([error]);
  },
);

it.each(["http502", "network 1", "a timeout", "Failed", "", "rpcs 1"])("takes the error %j for none", async (error) => {
  const words = "network, timeout, aborted, protocol, http <status>, rpc <code>, failed, canceled";
  const ending = `invalid output: unknown error ${JSON.stringify(error)}; use one of ${words}`;
  expect(await run(prints({ endings: [{ error }] }))).toEqual([ending]);
});

it.each<[string, unknown, readonly string[]]>([
  [
    "an ending that is none",
    { endings: [7, null, { error: "failed" }] },
    ["invalid output", "invalid output", "failed"],
  ],
  ["a wrong result", { endings: [{ result: 7 }] }, ["wrong: 7"]],
  ["an error that is no text", { endings: [{ error: 7, result: 8 }] }, ["wrong: 8"]],
  ["no ending", { endings: [] }, []],
])("reads the endings of %s", async (_, output, endings) => {
  expect(await run(prints(output))).toEqual(endings);
});

it.each<[string, string, string]>([
  ["text", "echo hi", `"hi\\n" ${instead}, exit code 0`],
  ["a list", "echo '[]'", `"[]\\n" ${instead}, exit code 0`],
  ["null", "echo null", `"null\\n" ${instead}, exit code 0`],
  ["endings that are no list", prints({ endings: 1 }), `"{\\"endings\\":1}\\n" ${instead}, exit code 0`],
  ["a last line", "printf 'first\\nlast\\n\\n' >&2; exit 3", `"" ${instead}, exit code 3, last`],
  ["a signal", "kill -TERM $$", `"" ${instead}, ended by SIGTERM`],
  ["an interrupt of its own", "kill -INT $$", `"" ${instead}, ended by SIGINT`],
  ["the code of an absent command, with output", "echo hi; exit 127", `"hi\\n" ${instead}, exit code 127`],
  ["the code of an absent command, by a signal", "kill -KILL $$", `"" ${instead}, ended by SIGKILL`],
])("reports invalid output of %s for each expected ending", async (_, command, problem) => {
  const endings = ["right", "timeout"];
  expect(await run(command, { endings })).toEqual(endings.map(() => `invalid output ${problem}`));
});

it("quotes the first 100 characters of invalid output", async () => {
  const [problem] = await run(`printf '%0150d' 0`);
  expect(problem).toBe(`invalid output "${"0".repeat(100)}" ${instead}, exit code 0`);
});

it.each([
  ["is absent", "./nonexistent", /^cannot start the command: \.\/nonexistent: .*not found/],
  ["cannot be executed", "/dev/null", /^cannot start the command: \/dev\/null: .*denied/],
  ["says nothing", "exit 127", /^cannot start the command: exit 127$/],
])("a command that %s cannot be started", async (_, command, message) => {
  const failure = run(command);
  await expect(failure).rejects.toBeInstanceOf(CommandError);
  await expect(failure).rejects.toMatchObject({ name: "CommandError", message: expect.stringMatching(message) });
});

it("judges the results of the calls made together, then of those one after another", async () => {
  const absent: CaseCall = { method: "listQueryRuns", params: {} };
  const outputs = { endings: [{ result: 1 }, { result: 2 }, { result: 3 }] };
  const more = { calls: [poll], sequence: [absent, poll] };
  expect(await run(prints(outputs), more)).toEqual(["wrong: 1", "wrong: 2", "wrong: 3"]);
});

it("ends what the command has started, and leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  const path = join(folder, "pid");
  const background = `sleep 60 > /dev/null 2>&1 & echo $! > ${path}; ${prints({ endings: [] })}`;
  expect(await run(background, {}, signal)).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const pid = Number(await readFile(path, "utf8"));
  const isRunning = async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat !== "" && !/\) Z /.test(stat);
  };
  if (process.platform === "linux") await expect.poll(isRunning, { timeout: 10_000 }).toBe(false);
});

it("takes a command that an interrupt of the caller ends for aborted, and one that another signal ends not", async () => {
  const ended = async (command: string, trap = ":") => {
    const caller = new AbortController();
    const path = join(folder, `started-${trap.length}`);
    // The file says that the trap is set.
    const running = run(`${trap}; echo > ${path}; ${command}`, { endings: ["aborted", "right"] }, caller.signal);
    await expect.poll(() => readFile(path, "utf8").catch(() => undefined), { timeout: 10_000 }).toBeDefined();
    caller.abort();
    return running;
  };
  const forever = "while :; do sleep 0.01; done";
  expect(await ended("exec sleep 60")).toEqual(["aborted", "aborted"]);
  expect(await ended(forever, "trap 'exit 130' INT")).toEqual(["aborted", "aborted"]);
  const [problem] = await ended(forever, "trap 'exit 4' INT");
  expect(problem).toBe(`invalid output "" ${instead}, exit code 4`);
});

it.each<[string, Partial<AdversaryCase>, number]>([
  ["one call", {}, 12_000],
  ["no call", { calls: [] }, 11_000],
  ["a query", { calls: [], query: { sql: "select 1" } }, 11_000],
  ["calls together and after another", { calls: [poll, poll], sequence: [poll] }, 14_000],
])("a command with %s never ends after the deadlines and 10 seconds", async (_, more, limitMs) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let endings: readonly string[] | undefined;
  const running = run("exec sleep 60", more).then((found) => {
    endings = found;
  });
  vi.advanceTimersByTime(limitMs - 1);
  // A command that was ended too early would end within this time.
  for (const start = performance.now(); performance.now() - start < 200; )
    await new Promise<void>((resolve) => setImmediate(resolve));
  expect(endings).toBeUndefined();
  vi.advanceTimersByTime(1);
  await running;
  expect(endings).toEqual(["never"]);
});
