import { expect, it } from "vitest";
import { createCsvReader } from "../../src/loading/csv-records.ts";
import { valueForm } from "../../src/loading/value-form.ts";

const plain = "1,,2026-01-02\n";
const pieces = [plain, plain, plain, "22,", "x", ",", ",", "\n", "\r\n", '"', '""', '"a,\nb"', " ", "2026-01-02"];
const dialect = { delimiter: ",", quote: '"', escape: '"' };

it("records that are only counted are those that need no look, however the chunks divide them", () => {
  let next = 7;
  const random = (below: number): number => {
    next = (next * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((next / 2 ** 31) * below);
  };
  const forms = [valueForm("BIGINT", {}), undefined, valueForm("DATE", {})];
  let counted = 0;
  for (let round = 0; round < 1_000; round += 1) {
    const text = Buffer.from(Array.from({ length: random(40) }, () => pieces[random(pieces.length)]).join(""));
    const read = (isCounting: boolean) => {
      const [rows, odd] = [{ count: 0, longest: 0 }, [] as string[]];
      const reader = createCsvReader(
        dialect,
        ({ start, end, fields, line, isOdd, fault }) => {
          rows.count += 1;
          rows.longest = Math.max(rows.longest, end - start);
          if (isOdd || fault !== undefined || fields !== 3) odd.push(`${line}: ${fields} ${isOdd} ${fault}`);
        },
        { forms, nullText: ["x"] },
      );
      if (isCounting) reader.countPlain(3);
      for (let at = 0; at < text.length; ) {
        const size = 1 + random(9);
        reader.push(text.subarray(at, at + size));
        at += size;
      }
      reader.end();
      const { plain, breaks, emptyTexts, otherForms } = reader;
      counted += plain.records;
      rows.count += plain.records;
      rows.longest = Math.max(rows.longest, plain.longest);
      return { ...rows, odd, breaks: [...breaks].sort(), emptyTexts: [...emptyTexts], otherForms: [...otherForms] };
    };
    expect(read(true), JSON.stringify(text.toString())).toEqual(read(false));
  }
  expect(counted).toBeGreaterThan(100);
});
