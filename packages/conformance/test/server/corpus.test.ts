import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { readCorpora } from "../../src/index.ts";

const corpora = await readCorpora();
const schema = JSON.parse(
  readFileSync(new URL("../../../../spec/conformance/corpus.schema.json", import.meta.url), "utf8"),
);
const validate = new Ajv().compile(schema);

test.each(corpora.map((corpus) => [corpus.title, corpus] as const))(
  "%s: the file has the corpus format",
  (_, corpus) => {
    expect(validate(corpus), JSON.stringify(validate.errors)).toBe(true);
  },
);

test("rules 1 to 105 each have their case", () => {
  const numbers = corpora.flatMap(({ cases }) =>
    cases.map(({ id }) => /^(?:REQ|NOT|PAR|ERR|BAT|HTTP|ROB|ORPC)-(\d{3})$/.exec(id)?.[1]),
  );
  const found = numbers.flatMap((digits) => (digits === undefined ? [] : [Number(digits)]));
  expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 105 }, (_, index) => index + 1));
});

test("fixtures that cases name exist", () => {
  for (const { fixtures = {}, cases } of corpora) {
    for (const { id, given = [] } of cases) for (const name of given) expect(Object.keys(fixtures), id).toContain(name);
  }
});
