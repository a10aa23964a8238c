import { readdirSync, readFileSync } from "node:fs";
import { contract } from "@quern/protocol/contract";
import { describe, expect, it } from "vitest";
import type { Case, Corpus, Part } from "../../../packages/conformance/src/server/corpus.ts";

const folder = new URL("../../../spec/conformance/generated/", import.meta.url);
const corpora = readdirSync(folder).map((file): Corpus => JSON.parse(readFileSync(new URL(file, folder), "utf8")));

/** Returns the call that a case sends. */
function callOf({ steps }: Case): { readonly method: string; readonly params: readonly [unknown] } {
  const send = steps[0]?.send;
  const text = (parts: readonly Part[]) => parts.map((part) => part.text.repeat(part.times ?? 1)).join("");
  return JSON.parse(send?.parts === undefined ? JSON.stringify(send?.json) : text(send.parts));
}

/** Returns the pointer of the first fault that the case expects, `"any"` if any pointer is accepted, or undefined. */
function expectedFault({ steps }: Case): unknown {
  const expected = [steps[0]?.expect ?? []].flat()[0]?.reply;
  if (expected?.error !== -32602) return undefined;
  return expected.values?.["/error/data/issues/0/pointer"] ?? "any";
}

function actualFault(one: Case): unknown {
  const { method, params } = callOf(one);
  const served = Object.entries(contract).find(([name]) => name === method)?.[1];
  const outcome = served?.params["~standard"].validate(params[0]);
  const pointer = outcome?.issues?.[0]?.pointer;
  return pointer === undefined ? undefined : expectedFault(one) === "any" ? "any" : `/params/0${pointer}`;
}

describe("the generated corpus and the generated validators", () => {
  it("agree on every case", () => {
    const cases = corpora.flatMap((corpus) => corpus.cases);
    expect(cases.length).toBeGreaterThan(300);
    const disagreements = cases
      .map((one) => ({ id: one.id, expected: expectedFault(one), actual: actualFault(one) }))
      .filter(({ expected, actual }) => expected !== actual);
    expect(disagreements).toEqual([]);
  });
});
