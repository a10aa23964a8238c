import { expect, it } from "vitest";
import { keyOfCommand } from "../../src/profiles/key-command.ts";

const node = (code: string) => [process.execPath, "--eval", code];
const run = (command: readonly string[], env: NodeJS.ProcessEnv = {}, limitMs?: number) =>
  keyOfCommand(command, "profile a", { env, stderr: {} }, limitMs);

it("takes the key that a program prints, and passes on the environment and arguments as they are", async () => {
  const code = "console.log(' ' + process.env.KEY + process.argv[1])";
  expect(await run([...node(code), "$(id) *"], { KEY: "qk_1" })).toBe("qk_1$(id) *");
});

const failed = /^cannot get the key of profile a: .*; correct api_key_command$/;

it.each([
  ["fails", "console.log('qk_secret'); console.error('qk_secret'); process.exitCode = 3", "failed with exit code 3"],
  ["prints nothing", "", "printed no key"],
  ["prints several lines", "console.log('qk_secret\\nqk_secret')", "printed more than one line"],
  ["prints without end", "setInterval(() => console.log('qk_secret'.repeat(9999)), 1)", "printed more than a key"],
  // Windows reports a signal as an exit code.
  ["is killed", "process.kill(process.pid, 'SIGKILL')", /was ended by SIGKILL|failed with exit code \d/],
])("a command that %s is an error without its output", async (_, code, reason) => {
  const error: Error = await run(node(code)).then(
    () => new Error("it has succeeded"),
    (reason) => reason,
  );
  expect(error.message).toMatch(failed);
  expect(error.message).toMatch(reason);
  expect(error.message).not.toContain("qk_secret");
});

it("a command that does not exist is an error", async () => {
  await expect(run(["no-such-program", "a b"])).rejects.toThrow(
    "cannot get the key of profile a: no-such-program does not exist; correct api_key_command",
  );
});

it("a command that hangs is ended, also if a process that it has started keeps its output open", async () => {
  const hanging =
    "require('child_process').spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 3_000)'], { stdio: 'inherit' }); setInterval(() => {}, 1)";
  const start = performance.now();
  await expect(run(node(hanging), {}, 500)).rejects.toThrow("did not end within 0.5 seconds");
  expect(performance.now() - start).toBeLessThan(2_900);
});
