import { describe, expect, it } from "vitest";
import { chooseRun, isJoinable, isReusable, normalizedSql, reuseKeyText } from "../src/reuse.ts";
import { after, ready, succeeded, t0 } from "./fixture.ts";

const parts = {
  tenantId: "t",
  dataProvider: "quern",
  dataSource: "samples",
  dataSourceRevision: "1",
  sql: "select 1",
  parameters: null,
};

describe("the reuse key", () => {
  it("ignores trailing white space and one trailing semicolon, nothing else", () => {
    for (const sql of ["select 1;", "select 1 ;\n", "select 1\n\t"]) expect(normalizedSql(sql)).toBe("select 1");
    for (const sql of ["SELECT 1", "select  1", " select 1", "select 1 -- x", "select 1;;"]) {
      expect(reuseKeyText({ ...parts, sql })).not.toBe(reuseKeyText(parts));
    }
  });

  it("differs by each part", () => {
    const others = [
      { tenantId: "u" },
      { dataProvider: "other" },
      { dataSource: "other" },
      { dataSourceRevision: "2" },
      { parameters: [] },
      { parameters: {} },
      { parameters: [1] },
      { parameters: ["1"] },
      { parameters: { a: 1 } },
      { userId: "v" },
      { userId: "w" },
    ].map((change) => reuseKeyText({ ...parts, ...change }));
    expect(new Set([reuseKeyText(parts), ...others]).size).toBe(others.length + 1);
  });

  it("does not depend on the order of named parameters", () => {
    const key = (parameters: Record<string, unknown>) => reuseKeyText({ ...parts, parameters });
    expect(key({ a: 1, b: 2 })).toBe(key({ b: 2, a: 1 }));
    expect(key({ a: 1, b: 2 })).not.toBe(key({ a: 2, b: 1 }));
  });
});

describe("reuse of a result", () => {
  const run = succeeded({ resultTTLHours: 24 });
  const end = run.endedAt ?? 0;

  it("counts the age from the end of the run, inclusive", () => {
    expect(isReusable(run, 5, end + 5 * 60_000)).toBe(true);
    expect(isReusable(run, 5, end + 5 * 60_000 + 1)).toBe(false);
  });

  it("never happens with an age of 0, after expiry, or without a success", () => {
    expect(isReusable(run, 0, end)).toBe(false);
    expect(isReusable(run, 10_080, run.expiresAt ?? 0)).toBe(false);
    expect(isReusable(after(run, { type: "archived" }), 10, end + 2000)).toBe(false);
    expect(isReusable(after(ready(), { type: "canceled" }), 10, t0)).toBe(false);
  });

  it("joins an unfinished run, unless the age is 0", () => {
    expect(isJoinable(ready(), 1)).toBe(true);
    expect(isJoinable(ready(), 0)).toBe(false);
    expect(isJoinable(run, 1)).toBe(false);
  });

  it("prefers the newest result, then an unfinished run", () => {
    const older = succeeded({ id: "older", resultTTLHours: 24 }, t0 - 60_000);
    expect(chooseRun([older, run, ready()], 60, end)).toBe(run);
    expect(chooseRun([run, older], 60, end)).toBe(run);
    const waiting = ready({ id: "waiting" });
    expect(chooseRun([waiting, older], 1, end + 3_600_000)).toBe(waiting);
    expect(chooseRun([run, waiting], 0, end)).toBeUndefined();
  });
});
