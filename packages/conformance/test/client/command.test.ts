import { describe, expect, it } from "vitest";
import { type AdversaryCase, CommandError, type CommandOptions, runCommand } from "../../src/client/index.ts";

const look = { method: "getQueryRun", params: { queryRunId: "a" } };
const one: AdversaryCase = { name: "waitSeconds refused", calls: [look], faults: [{}], endings: ["right"] };

/** A command that calls what it is asked for by a few lines of script, and says what the script makes of the answer. */
function command(says: string): string {
  const script = `
    const interrupted = new Promise((resolve) => process.once("SIGINT", () => resolve("aborted")));
    let asked = "";
    for await (const chunk of process.stdin) asked += chunk;
    const { url, calls } = JSON.parse(asked);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: calls[0].method, params: [calls[0].params] });
    const answer = await fetch(url + "/json-rpc", { method: "POST", body });
    const reply = await answer.json();
    ${says}`;
  const text = `data:text/javascript,${encodeURIComponent(script)}`;
  return `${JSON.stringify(process.execPath)} --input-type=module --eval 'await import("${text.replaceAll("'", "%27")}")'`;
}

async function outcome(says: string, more: Partial<AdversaryCase> = {}, options: Partial<CommandOptions> = {}) {
  const [result] = await runCommand({ command: command(says), cases: [{ ...one, ...more }], ...options });
  return { outcome: result?.outcome, problems: result?.problems.join() };
}

const tellResult = "console.log(JSON.stringify({ endings: [{ result: reply.result }] }));";

describe("a client that is a command", () => {
  it("passes where its result is right, and not where it is another", async () => {
    expect(await outcome(tellResult)).toEqual({ outcome: "passed", problems: "" });
    const wrong = await outcome(tellResult.replace("reply.result", "7"));
    expect(wrong).toEqual({ outcome: "failed", problems: "expected the right result, got the wrong result 7" });
  });

  it("says how an ask ended that gave no result; codes beyond the document are codes", async () => {
    const error = (text: string) => `console.log(JSON.stringify({ endings: [{ error: ${JSON.stringify(text)} }] }));`;
    expect(await outcome(error("rpc -5"), { endings: ["undeclared -5"] })).toMatchObject({ outcome: "passed" });
    expect(await outcome(error("timeout"))).toEqual({
      outcome: "failed",
      problems: "expected the right result, got the error timeout",
    });
  });

  it("is found out where it says nothing readable, and told with its last words", async () => {
    const { problems } = await outcome('console.error("first\\nno module"); process.exitCode = 3;');
    const output = 'invalid output "" instead of {"endings":[…]}, exit code 3, no module';
    expect(problems).toBe(`expected the right result, got ${output}`);
  });

  it("is shown what it wrote in place of its endings, and the words for an error", async () => {
    const { problems: text } = await outcome('console.log("hi");');
    expect(text).toContain('got invalid output "hi\\n" instead of {"endings":[…]}, exit code 0');
    const { problems: word } = await outcome('console.log(JSON.stringify({ endings: [{ error: "http502" }] }));');
    expect(word).toContain(
      'invalid output, unknown error "http502": use network, timeout, aborted, protocol, http <status>',
    );
  });

  it("is an error where the shell cannot start it", async () => {
    const absent = runCommand({ command: "./nonexistent", cases: [one] });
    await expect(absent).rejects.toThrow(CommandError);
    await expect(absent).rejects.toThrow(/^cannot start the command: \.\/nonexistent: .*not found/);
  });

  it("fails where it sends nothing, or crashes in a case that it does not meet", async () => {
    const [silent] = await runCommand({ command: `echo '{"endings":[]}'`, cases: [one] });
    expect(silent).toMatchObject({ outcome: "failed", level: "must", problems: ["the client sent no request"] });
    const crash = await outcome("process.exit(5);", { faults: [{ batch: true }] });
    expect(crash).toEqual({
      outcome: "failed",
      problems: 'invalid output "" instead of {"endings":[…]}, exit code 5',
    });
  });

  it("is interrupted where the caller gives up", async () => {
    const waits = "const awake = setInterval(() => {}, 1000); const error = await interrupted; clearInterval(awake);";
    const says = `${waits} console.log(JSON.stringify({ endings: [{ error }] }));`;
    expect(await outcome(says, { abort: true, endings: ["aborted"] })).toMatchObject({ outcome: "passed" });
  });

  it("has aborted where the interrupt ends it, and only then", async () => {
    const fault = { abort: true, endings: ["aborted"] };
    const dies =
      "await interrupted; process.kill(process.pid, 'SIGINT'); await new Promise(() => setTimeout(() => {}, 5000));";
    expect(await outcome(dies, fault)).toEqual({ outcome: "passed", problems: "" });
    expect(await outcome("await interrupted; process.exit(130);", fault)).toMatchObject({ outcome: "passed" });
    const { problems } = await outcome("process.exit(130);", { endings: ["aborted"] });
    expect(problems).toMatch(/^expected the error aborted, got invalid output "" .*, exit code 130$/);
  });

  it("may fail as expected, and must then", async () => {
    const expectedFailures = { [one.name]: "not yet" };
    const failed = await outcome("", {}, { expectedFailures });
    expect(failed.outcome).toBe("expected-failure");
    expect((await outcome(tellResult, {}, { expectedFailures })).outcome).toBe("unexpected-pass");
    await expect(outcome("", {}, { expectedFailures: { "no case": "" } })).rejects.toThrow("no case");
  });
});
