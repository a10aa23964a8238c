import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runProgram } from "../src/program.ts";

const documentOf = (type: string) => ({
  openrpc: "1.3.2",
  info: { title: "A", version: "1" },
  methods: [{ name: "run", params: [], result: { name: "result", schema: { type } } }],
});

it("prints the changes between two files, and refuses other arguments", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quern-spec-diff-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = async (...args: string[]) => {
    const output: { out: string[]; err: string[] } = { out: [], err: [] };
    const console = { log: (line: string) => output.out.push(line), error: (line: string) => output.err.push(line) };
    const code = await runProgram(args, console, folder);
    return { code, out: output.out.join("\n"), err: output.err.join("\n") };
  };
  const old = write("old.json", JSON.stringify(documentOf("integer")));
  const now = write("new.json", JSON.stringify(documentOf("number")));
  const change =
    "#/methods/0/result/schema/type (receive run) type-widened: further types are allowed: integer → number";
  expect(await run(old, now)).toEqual({ code: 0, out: `major  ${change}\n1 major, 0 minor, 0 patch`, err: "" });
  expect(JSON.parse((await run(old, now, "--json")).out)).toMatchObject({
    level: "major",
    changes: [
      { rule: "type-widened", direction: "receive", pointer: "/methods/0/result/schema/type", methods: ["run"] },
    ],
  });
  expect(JSON.parse((await run(old, old, "--json")).out)).toEqual({ level: null, changes: [] });
  expect((await run(old)).err).toMatch(/^usage: npm run spec-diff/);
  expect(await run(old, write("broken.json", "{"))).toMatchObject({
    code: 2,
    err: expect.stringContaining("Unreadable document"),
  });
  expect(await run(old, now, "--yaml")).toMatchObject({ code: 2 });
});
