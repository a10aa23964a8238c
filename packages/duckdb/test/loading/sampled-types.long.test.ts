import { expect, it } from "vitest";
import { createCsvReader } from "../../src/loading/csv-records.ts";
import { exactSelection } from "../../src/loading/exact-value.ts";
import { valueForm } from "../../src/loading/value-form.ts";
import { readDatabases } from "../sources/data.ts";
import { typesOf, useLoader } from "./loaded-files.ts";

const { loaded, rowsOf, written } = useLoader();

const columns = "a,b,c,d,e,f,g";
const usual = "7,8,1.5,2026-01-02,2026-01-02 03:04:05,true,10:00:00";
/** Each of its values has another type than the ones above. */
const odd = "1.5,9223372036854775808,12345678901234567,2026-01-02 03:04:05,x,1,late";

it("types of a file are the same wherever its rows are that need them", async () => {
  const many = `${usual}\n`.repeat(25_000);
  const late = await loaded({ "t.csv": `${columns}\n${many}${odd}\n` });
  const early = await loaded({ "t.csv": `${columns}\n${odd}\n${many}` });
  expect(await late.read(typesOf)).toEqual(await early.read(typesOf));
  expect(late.rows.at(-1)).toEqual(early.rows[0]);
  expect(late.rows).toHaveLength(25_001);
}, 60_000); // four detections on a busy machine

it("a text of another form than those of the sample needs types of all rows", async () => {
  const texts: readonly (readonly [type: string, text: string, fits: boolean])[] = [
    ["BIGINT", "-42", true],
    ["BIGINT", " 042", true],
    ["BIGINT", "1.0", false],
    ["BIGINT", "1e3", false],
    ["BIGINT", "0x1f", false],
    ["BIGINT", "9223372036854775808", false],
    ["BOOLEAN", "TRUE", true],
    ["BOOLEAN", "1", false],
    ["BOOLEAN", "t", false],
    ["DATE", "2026-01-02", true],
    ["DATE", "2026-01-02 00:00:00", false],
    ["DATE", "2026-01-02x", false],
    ["DOUBLE", "123456789012345", true],
    ["DOUBLE", "1234567890123456.5", true],
    ["DOUBLE", "1234567890123456", false],
    ["DOUBLE", "1e999", false],
    ["TIMESTAMP", "2026-01-02 03:04:05.123456", true],
    ["TIMESTAMP", "2026-01-02 03:04:05.1234567", false],
    ["TIMESTAMP", "2026-01-02 03:04:05+02", false],
    ["TIME", "25:00", false],
  ];
  const fits = texts.map(([type, text]) => {
    const { invalid } = exactSelection(`'${text}'`, "x", type, {}, true);
    return `(SELECT NOT (${invalid}))`;
  });
  const [found = []] = await readDatabases([], `SELECT ${fits.join(", ")}`);
  expect(texts.map(([type, text], index) => [type, text, found[index]])).toEqual(texts);
});

it("the engine reads each text in the form of a type exactly as SQL converts it", async () => {
  const parts = [
    "0",
    "7",
    "42",
    "2026",
    "-",
    "+",
    ".",
    "e",
    ":",
    " ",
    "T",
    "Z",
    "01",
    "2026-01-02",
    "03:04:05",
    "true",
    "FALSE",
    "inf",
    "_",
    "x",
  ];
  let seed = 7;
  const next = (count: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * count);
  };
  const random = Array.from({ length: 10_000 }, () =>
    Array.from({ length: 1 + next(7) }, () => parts[next(parts.length)]).join(""),
  );
  const times = random.map((text) => `2026-01-02 03:04:05${text}`);
  const samples = [...new Set([...random, ...times])].filter((text) => text.trim() === text);
  for (const type of ["BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"]) {
    const form = valueForm(type, {});
    const inForm = samples.filter((text) => {
      const reader = createCsvReader({ delimiter: ",", quote: '"', escape: '"' }, () => {}, { forms: [form] });
      reader.push(Buffer.from(text));
      reader.end();
      return reader.otherForms.size === 0;
    });
    const values = inForm.map((text) => `('${text}')`).join(", ");
    const { invalid } = exactSelection("text", "text", type, {}, true);
    // The engine refuses some of them, such as the 99th month; a load then takes other types.
    const valid = `SELECT x FROM (VALUES ${values}) t(x) WHERE TRY_CAST(x AS ${type}) IS NOT NULL`;
    const file = await written((path) => `COPY (SELECT x, x AS text FROM (${valid})) TO '${path}'`, "forms.csv");
    const read = `read_csv('${file}', auto_detect = false, header = true, columns = {x: '${type}', text: 'VARCHAR'})`;
    const [[count, different] = []] = await rowsOf(`SELECT count(*), list(text) FILTER (x IS DISTINCT FROM
      TRY_CAST(text AS ${type}) OR (${invalid})) FROM ${read}`);
    expect([type, different]).toEqual([type, null]);
    expect(Number(count), type).toBeGreaterThan(0);
  }
});
