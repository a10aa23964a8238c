import { StatementError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { admit } from "../../src/dialect/gate.ts";
import { hostile, reading } from "./statements.ts";

describe("the gate", () => {
  it("is tested with more than 90 hostile statements", () => {
    expect(new Set(hostile).size).toBeGreaterThan(90);
  });

  it.each(hostile)("refuses %j", (sql) => {
    const thrown = (() => {
      try {
        return admit(sql);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(StatementError);
    expect(thrown).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
  });

  it.each(reading)("admits %j", (sql) => {
    expect(sql.startsWith(admit(sql).sql)).toBe(true);
  });

  it("removes the semicolons, comments and white space after a statement", () => {
    expect(admit("SELECT ';' ; -- done;\n;  ").sql).toBe("SELECT ';'");
  });
});
