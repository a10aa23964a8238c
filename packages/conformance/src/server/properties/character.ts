import fc from "fast-check";

const surrogates = { from: 0xd800, count: 0x800 };

/** Any code point. The unit `binary` of fast-check has the same ones, and takes a second to list them all. */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((place) => String.fromCodePoint(place < surrogates.from ? place : place + surrogates.count));
