import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../../../packages/cli/src/generated/commands.ts";
import { quern } from "../../../packages/cli/test/quern.ts";
import { takenCommands, takenFlags, takenFunctions, takenTypes } from "../src/names.ts";

/** Returns the names that an index exports, without wholesale re-exports. */
function exportsOf(path: string): readonly string[] {
  const text = readFileSync(new URL(`../../../packages/${path}`, import.meta.url), "utf8");
  return [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType = "", names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => (isType === "" ? name : `type ${name}`)),
  );
}

const words = (help: string, pattern: RegExp) => [...help.matchAll(pattern)].map(([, name = ""]) => name);

describe("the names that are taken", () => {
  it("are all that the client exports by hand", () => {
    const names = exportsOf("client/src/index.ts");
    // A class is a type, too.
    const types = names.filter((name) => /^(type |[A-Z])/.test(name)).map((name) => name.replace("type ", ""));
    const functions = names.filter((name) => /^[a-z]/.test(name) && !name.startsWith("type "));
    expect({ types: types.length > 20, functions: functions.length > 10 }).toEqual({ types: true, functions: true });
    expect(types.filter((name) => !takenTypes.includes(name))).toEqual([]);
    expect(functions.filter((name) => !takenFunctions.includes(name))).toEqual([]);
  });

  it("are all options that the hooks export by hand", () => {
    const options = exportsOf("query-options/src/index.ts").filter(
      (name) => name.endsWith("Options") && /^(?!type )[a-z]/.test(name),
    );
    expect(options).toContain("queryRunOptions");
    expect(options.filter((name) => !takenFunctions.includes(name.replace(/Options$/, "")))).toEqual([]);
  });

  it("are all commands by hand", async () => {
    const { stdout } = await quern(["--help"]);
    const [, list = ""] = stdout.split("COMMANDS");
    const methods = commands.map(({ name }) => name);
    expect(
      words(list, /^ {2}([a-z-]+)/gm)
        .filter((name) => !methods.includes(name))
        .sort(),
    ).toEqual([...takenCommands].sort());
  });

  it("are all flags that every method has", async () => {
    const { stdout } = await quern(["get-sql-statement", "--help"]);
    const [, list = ""] = stdout.split("FLAGS");
    const flags = words(list, /--([a-z][a-z-]+)/g).filter((name) => name !== "sql-statement-id");
    expect([...new Set([...flags, "help-all"])].sort()).toEqual([...takenFlags].sort());
  });
});
