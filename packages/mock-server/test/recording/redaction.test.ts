import { expect, it } from "vitest";
import { redactedAnswer, redactedMessage, redactedParams, redactedSql } from "../../src/recording/redaction.ts";

it.each([
  ["select 'a''b', \"a'b\", c1 from t2 -- d", "select 'redacted', \"a'b\", c1 from t2  "],
  [
    "select 1, -2.5e-3,x*10,$1, ? , .5, 0xff, 1_000, t1.c2 limit 10;",
    "select 0, -0,x*0,$1, ? , 0, 0, 0, t1.c2 limit 0;",
  ],
  ["select 2E-3, 5e+6, 7f-8", "select 0, 0, 0-0"],
  ["select 'a', 'b c", "select 'redacted', 'redacted'"],
  ["select 1 /* b c", "select 0 'redacted'"],
  ["select 1, E'it\\'s b', c from d", "select 0, E'redacted'"],
  ["select 1, E'a b', x'ff', c", "select 0, E'redacted', x'redacted', c"],
  ["select 'a', 'c:\\' where b = 'c'", "select 'redacted', 'redacted'"],
  ["select 'a', '\\n', 'b' from c", "select 'redacted', 'redacted', 'redacted' from c"],
  ["select 1 /* a /* b */ c */ from d", "select 0 'redacted'"],
  ["select $$a$$, $tag$b 'c' $$$tag$, $name", "select 'redacted', 'redacted', $name"],
])("%j becomes %j", (sql, kept) => {
  expect(redactedSql(sql)).toBe(kept);
});

it.each([
  [`"a\\"b" is no "c", 'd' is no 'e'`, `"redacted" is no "redacted", 'redacted' is no 'redacted'`],
  [`at "a`, `at "redacted"`],
  ["at 'a", "at 'redacted'"],
])("a message %j loses each value that it quotes", (message, kept) => {
  expect(redactedMessage(message)).toBe(kept);
});

it("params lose literals, and members that differ between equal calls", () => {
  const params = { sql: "select 7", tags: { a: "7" }, waitSeconds: 7, idempotencyKey: "7", parameters: [7, null] };
  expect(redactedParams(params)).toEqual({ sql: "select 0", tags: { a: "7" }, parameters: ["redacted", "redacted"] });
  expect(redactedParams({ parameters: { a: 7 } })).toEqual({ parameters: { a: "redacted" } });
  expect(redactedParams({ filters: [{ column: "a", eq: 7, in: ["7", 7], like: null }], queryRunId: "7" })).toEqual({
    filters: [{ column: "a", eq: "redacted", in: ["redacted", "redacted"], like: null }],
    queryRunId: "7",
  });
  expect(
    redactedParams({
      filters: [
        {
          or: [
            { column: "a", like: "7%" },
            { column: "b", eq: null },
          ],
        },
      ],
    }),
  ).toEqual({
    filters: [
      {
        or: [
          { column: "a", like: "redacted" },
          { column: "b", eq: null },
        ],
      },
    ],
  });
  for (const odd of [{ parameters: null }, { parameters: "a" }, { filters: "a" }, { filters: [null, "a"] }, { sql: 7 }])
    expect(redactedParams(odd)).toEqual(odd);
  for (const odd of [null, "select 7", [7]]) expect(redactedParams(odd)).toEqual(odd);
});

it.each([
  [
    { received: "7", sql: 7, statementHash: "a" },
    { received: "redacted", sql: 7, statementHash: "a" },
  ],
  [[{ sql: "select 7" }], [{ sql: "select 0" }]],
  [null, null],
  ["select 7", "select 7"],
])("the answer %j becomes %j", (answer, kept) => {
  expect(redactedAnswer(answer)).toEqual(kept);
});

it("answers lose literals at any depth, except in rows", async () => {
  const answer = {
    a: [{ sql: "select 7", statementHash: "of 7", errorMessage: "at '7'" }],
    rows: [[7, { sql: "7" }]],
    url: "?7",
  };
  expect(redactedAnswer(answer)).toEqual({
    a: [{ sql: "select 0", statementHash: expect.stringMatching(/^[\da-f]{64}$/), errorMessage: "at 'redacted'" }],
    rows: [[7, { sql: "7" }]],
    url: "https://redacted.invalid/",
  });
});
