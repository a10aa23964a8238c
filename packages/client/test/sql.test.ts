import { describe, expect, it } from "vitest";
import { identifier, sql, sqlText } from "../src/index.ts";

describe("sql", () => {
  it("sends values beside the text", () => {
    const hostile = "'; drop table cars; --";
    expect({ ...sql`select * from cars where origin = ${hostile} and year > ${1970}` }).toMatchObject({
      sql: "select * from cars where origin = $1 and year > $2",
      parameters: [hostile, 1970],
    });
  });

  it("is made of smaller ones, whose values keep their places", () => {
    const filter = sql`origin = ${"Japan"}`;
    expect(sql`select * from ${identifier("main", 'a"b')} where ${filter} and n = ${1}`).toMatchObject({
      sql: 'select * from "main"."a""b" where origin = $1 and n = $2',
      parameters: ["Japan", 1],
    });
  });

  it("takes dates and large integers, and nothing that SQL does not have", () => {
    expect(sql`${new Date(0)} ${2n ** 60n} ${3n} ${null} ${true}`.parameters).toEqual([
      ...["1970-01-01T00:00:00.000Z", "1152921504606846976", 3, null, true],
    ]);
    for (const value of [undefined, new Date(Number.NaN), Number.NaN, {}, Symbol("x")]) {
      expect(() => sql`${value as string}`).toThrow(TypeError);
    }
  });
});

describe("sqlText", () => {
  it("writes values as literals", () => {
    expect(sqlText`select ${"it's"}, ${null}, ${1.5}, ${false} from ${identifier("t")}`).toBe(
      `select 'it''s', NULL, 1.5, false from "t"`,
    );
  });

  it("keeps a value from becoming a comment, and from ending its text where a backslash escapes", () => {
    expect(sqlText`select 10-${-5}, ${-0}`).toBe("select 10-(-5), (0)");
    expect(sqlText`select ${"\\' or 1=1 --"}`).toBe("select ('' || chr(92) || ''' or 1=1 --')");
  });
});
