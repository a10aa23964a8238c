import { describe, expect, it } from "vitest";
import { type AdversaryCase, CommandError, type CommandOptions, runCommand } from "../../src/client/index.ts";

const poll = { method: "getQueryRun", params: { queryRunId: "a" } };
const one: AdversaryCase = { name: "waitSeconds refused", calls: [poll], faults: [{}], endings: ["right"] };

/** Returns a command that makes its first call, and then runs a script with the parsed response as `reply`. */
function command(then: string): string {
  const script = `
    const interrupted = new Promise((resolve) => process.once("SIGINT", () => resolve("aborted")));
    let input = "";
    for await (const chunk of process.stdin) input += chunk;
    const { url, calls } = JSON.parse(input);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: calls[0].method, params: [calls[0].params] });
    const answer = await fetch(url + "/json-rpc", { method: "POST", body });
    const reply = await answer.json();
    ${then}`;
  const text = `data:text/javascript,${encodeURIComponent(script)}`;
  return `${JSON.stringify(process.execPath)} --input-type=module --eval 'await import("${text.replaceAll("'", "%27")}")'`;
}

async function outcome(script: string, more: Partial<AdversaryCase> = {}, options: Partial<CommandOptions> = {}) {
  const [result] = await runCommand({ command: command(script), cases: [{ ...one, ...more }], ...options });
  return { outcome: result?.outcome, problems: result?.problems.join() };
}

const writeResult = "console.log(JSON.stringify({ endings: [{ result: reply.result }] }));";

describe("a client that is a command", () => {
  it("passes with the right result, and fails with another", async () => {
    expect(await outcome(writeResult)).toEqual({ outcome: "passed", problems: "" });
    const wrong = await outcome(writeResult.replace("reply.result", "7"));
    expect(wrong).toEqual({ outcome: "failed", problems: "expected the right result, got the wrong result 7" });
  });

  it("reports the ending of a call without a result, and undeclared codes as codes", async () => {
    const error = (text: string) => `console.log(JSON.stringify({ endings: [{ error: ${JSON.stringify(text)} }] }));`;
    expect(await outcome(error("rpc -5"), { endings: ["undeclared -5"] })).toMatchObject({ outcome: "passed" });
    expect(await outcome(error("timeout"))).toEqual({
      outcome: "failed",
      problems: "expected the right result, got the error timeout",
    });
  });

  it("fails with unreadable output, and the problem has its last line of stderr", async () => {
    const { problems } = await outcome('console.error("first\\nno module"); process.exitCode = 3;');
    const output = 'invalid output "" instead of {"endings":[…]}, exit code 3, no module';
    expect(problems).toBe(`expected the right result, got ${output}`);
  });

  it("has its output and the allowed errors in the problem", async () => {
    const { problems: text } = await outcome('console.log("hi");');
    expect(text).toContain('got invalid output "hi\\n" instead of {"endings":[…]}, exit code 0');
    const { problems: word } = await outcome('console.log(JSON.stringify({ endings: [{ error: "http502" }] }));');
    expect(word).toContain(
      'invalid output: unknown error "http502"; use one of network, timeout, aborted, protocol, http <status>',
    );
  });

  it("is an error if the shell cannot start it", async () => {
    const absent = runCommand({ command: "./nonexistent", cases: [one] });
    await expect(absent).rejects.toThrow(CommandError);
    await expect(absent).rejects.toThrow(/^cannot start the command: \.\/nonexistent: .*not found/);
  });

  it("fails if it sends nothing, or crashes in a case that it does not reach", async () => {
    const [silent] = await runCommand({ command: `echo '{"endings":[]}'`, cases: [one] });
    expect(silent).toMatchObject({ outcome: "failed", level: "must", problems: ["the client sent no request"] });
    const crash = await outcome("process.exit(5);", { faults: [{ batch: true }] });
    expect(crash).toEqual({
      outcome: "failed",
      problems: 'invalid output "" instead of {"endings":[…]}, exit code 5',
    });
  });

  it("gets a SIGINT if the caller aborts", async () => {
    const waits = "const awake = setInterval(() => {}, 1000); const error = await interrupted; clearInterval(awake);";
    const script = `${waits} console.log(JSON.stringify({ endings: [{ error }] }));`;
    expect(await outcome(script, { abort: true, endings: ["aborted"] })).toMatchObject({ outcome: "passed" });
  });

  it("has the ending aborted only if the interrupt ends it", async () => {
    const fault = { abort: true, endings: ["aborted"] };
    const dies =
      "await interrupted; process.kill(process.pid, 'SIGINT'); await new Promise(() => setTimeout(() => {}, 5000));";
    expect(await outcome(dies, fault)).toEqual({ outcome: "passed", problems: "" });
    expect(await outcome("await interrupted; process.exit(130);", fault)).toMatchObject({ outcome: "passed" });
    const { problems } = await outcome("process.exit(130);", { endings: ["aborted"] });
    expect(problems).toMatch(/^expected the error aborted, got invalid output "" .*, exit code 130$/);
  });

  it("may fail if a failure is expected, and must not pass then", async () => {
    const expectedFailures = { [one.name]: "not yet" };
    const failed = await outcome("", {}, { expectedFailures });
    expect(failed.outcome).toBe("expected-failure");
    expect((await outcome(writeResult, {}, { expectedFailures })).outcome).toBe("unexpected-pass");
    await expect(outcome("", {}, { expectedFailures: { "no case": "" } })).rejects.toThrow("no case");
  });
});
