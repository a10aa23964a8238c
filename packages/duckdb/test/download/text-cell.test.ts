import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { macros, textCells } from "../../src/download/text-cell.ts";

it.each(["csv", "ndjson"] as const)(
  "decimals without integer digits have a zero before the point in %s",
  async (format) => {
    const connection = await (await DuckDBInstance.create()).connect();
    for (const macro of macros) await connection.run(macro);
    const types = ["DECIMAL(3,3)", "DECIMAL(15,15)", "DECIMAL(4,3)"];
    const columns = types.map((engineType) => ({ name: "n", kind: "number", engineType }) as const);
    const cells = (textCells(columns, format) ?? []).map((cell) => `CAST(${cell} AS VARCHAR)`);
    const values = types.map((type, index) => `CAST('-0.125' AS ${type}) AS c${index}`);
    const reader = await connection.runAndReadAll(`SELECT ${cells.join(", ")} FROM (SELECT ${values.join(", ")})`);
    expect(reader.getRows()).toEqual([["-0.125", "-0.125000000000000", "-0.125"]]);
  },
);
