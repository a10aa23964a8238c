import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ownCommands } from "../../src/commands/commands.ts";
import { quern } from "../quern.ts";

const src = fileURLToPath(new URL("../../src/commands", import.meta.url));
const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());

it("gives each command that is written by hand a folder, with the same files", () => {
  const files = Object.fromEntries(folders.map(({ name }) => [name, readdirSync(`${src}/${name}`).sort()]));
  expect(files).toEqual(
    Object.fromEntries(Object.keys(ownCommands).map((name) => [name, ["action.ts", "command.ts"]])),
  );
});

it.each([
  ["--no-json", "mock", "--port", "none"],
  ["--no-open", "mock", "--port", "none"],
  ["--no-strict", "mock", "--port", "none"],
  ["--no-json", "serve", "--port", "none"],
  ["--no-json", "conform"],
  ["--no-json", "conform-client"],
  ["--no-json", "verify"],
  ["--no-ids", "runs", "list"],
])("%s is no flag of %s", async (flag, ...words) => {
  const { status, stderr } = await quern([...words, flag]);
  expect(status).toBe(2);
  expect(stderr).toContain(flag);
});
