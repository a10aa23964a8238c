import { StatementError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { admit } from "../../src/dialect/gate.ts";
import { foreign, hostile, reading } from "./statements.ts";

const catalogs = new Set(["memory", "tpch"]);

describe("the gate", () => {
  it("is tested with more than 50 hostile statements", () => {
    expect(new Set(hostile).size).toBeGreaterThan(50);
  });

  it.each([...hostile, ...foreign])("refuses %j", (sql) => {
    const thrown = (() => {
      try {
        return admit(sql, catalogs);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(StatementError);
    expect(thrown).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
  });

  it.each(reading)("admits %j", (sql) => {
    expect(sql.startsWith(admit(sql, catalogs))).toBe(true);
  });

  it("names the other catalog, and admits it for a source without a catalog", () => {
    expect(() => admit("SELECT 1 FROM a, OTHER.s.t", catalogs)).toThrow(
      "Statement not allowed: it names the catalog other, which is not of the data source; query a data source of that " +
        "catalog, or add the catalog to the parameter catalogs of the address.",
    );
    for (const sql of foreign) expect(admit(sql)).toBe(sql);
  });

  it("removes the semicolons, comments and white space after a statement", () => {
    expect(admit("SELECT ';' ; -- done;\n;  ")).toBe("SELECT ';'");
  });
});
