import { describe, expect, it } from "vitest";
import { parsePair } from "../../src/flags.ts";
import { commands } from "../../src/generated/commands.ts";
import type { MethodFlag } from "../../src/methods/method-command.ts";
import { camelCase, methodParams } from "../../src/methods/params.ts";

const flag = (name: string, path: readonly string[], kind: MethodFlag["kind"]): MethodFlag => ({
  name,
  path,
  kind,
  required: false,
  brief: "",
});

describe("params", () => {
  it("hold the given members at their paths, and no others", () => {
    const flags = [
      flag("query-run-id", ["queryRunId"], "string"),
      flag("page-number", ["page", "number"], "number"),
      flag("page-size", ["page", "size"], "number"),
      flag("tag", ["tags"], "map"),
      flag("filters", ["filters"], "json"),
    ];
    const tag = [parsePair("a=b=c"), parsePair("__proto__=x")];
    const params = methodParams(flags, { queryRunId: "r", pageNumber: 2, pageSize: 0, tag, json: false });
    expect(JSON.stringify(params)).toBe(
      '{"queryRunId":"r","page":{"number":2,"size":0},"tags":{"a":"b=c","__proto__":"x"}}',
    );
  });

  it("have a flag of its own for each member of every method", () => {
    for (const { flags } of commands) expect(new Set(flags.map(({ name }) => camelCase(name))).size).toBe(flags.length);
  });
});
