import { describe, expect, it } from "vitest";
import { bodyBytes } from "../../../../packages/conformance/src/server/request-body.ts";
import { corpus } from "../../src/targets/corpus/target.ts";
import { createDocument, exampleParams } from "../support/document.ts";
import { outputOf } from "./support.ts";

interface Step {
  readonly send: {
    readonly json?: { readonly params: readonly unknown[] };
    readonly parts?: readonly { readonly text: string; readonly times?: number }[];
  };
  readonly expect: { readonly reply: { readonly error?: number; readonly values?: Readonly<Record<string, unknown>> } };
}

interface Case {
  readonly id: string;
  readonly source: string;
  readonly steps: readonly Step[];
}

/** Returns the cases of a file, by the part of their ids after the method. */
function casesOf(text = ""): ReadonlyMap<string, Case> {
  const { cases }: { cases: readonly Case[] } = JSON.parse(text);
  return new Map(cases.map((one) => [one.id.slice(one.id.indexOf("/") + 1), one]));
}

describe("the corpus of a method", () => {
  const cases = casesOf(outputOf(corpus)["notes-add-note.json"]);
  const params = (id: string) => cases.get(id)?.steps[0]?.send.json?.params[0];
  const reply = (id: string) => cases.get(id)?.steps[0]?.expect.reply;

  it("holds every example", () => {
    expect(params("example/a-short-note")).toEqual({ text: "Buy milk", labels: { list: "it's" }, place: { row: 3 } });
    expect(reply("example/a-short-note")?.error).toBeUndefined();
  });

  it.each([
    ["text/missing", {}, "/params/0/text"],
    ["text/type-null", { text: null }, "/params/0/text"],
    ["text/too-short", { text: "" }, "/params/0/text"],
    ["unexpected", { text: "Buy milk", unexpected: 1 }, "/params/0/unexpected"],
    ["place/row/below-minimum", { text: "Buy milk", place: { row: -1 } }, "/params/0/place/row"],
    ["place/row/above-maximum", { text: "Buy milk", place: { row: 10 } }, "/params/0/place/row"],
    ["place/row/type-number", { text: "Buy milk", place: { row: 7.5 } }, "/params/0/place/row"],
    ["place/side/unknown-value", { text: "Buy milk", place: { side: "no such value" } }, "/params/0/place/side"],
    ["labels/key/type-integer", { text: "Buy milk", labels: { key: 7 } }, "/params/0/labels/key"],
    [
      "labels/too-many",
      { text: "Buy milk", labels: { key0: "value", key1: "value", key2: "value" } },
      "/params/0/labels",
    ],
    [
      "note/inside/0/type-string",
      { text: "Buy milk", note: { text: "Buy milk", inside: ["text"] } },
      "/params/0/note/inside/0",
    ],
  ])("%s is refused", (id, given, pointer) => {
    expect(params(id)).toEqual(given);
    expect(reply(id)).toMatchObject({ error: -32602, values: { "/error/data/issues/0/pointer": pointer } });
  });

  it.each(["place/row/minimum", "place/row/maximum", "place/side/value-left"])("%s is understood", (id) => {
    expect(reply(id)).toEqual({ id: 1, notError: [-32700, -32600, -32601, -32602, -32603] });
  });

  it("describes a long text by its length", () => {
    const parts = cases.get("text/too-long")?.steps[0]?.send.parts ?? [];
    expect(parts[1]).toEqual({ text: "x", times: 401 });
    expect(() => JSON.parse(parts.map(({ text, times = 1 }) => text.repeat(times)).join(""))).not.toThrow();
  });

  it("escapes a text that looks like a placeholder of the corpus", () => {
    const document = createDocument();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the corpus would replace
    const text = "${b} costs ${apiKey}";
    Object.assign(exampleParams(document), { text });
    const own = casesOf(outputOf(corpus, document)["notes-add-note.json"]);
    for (const id of ["example/a-short-note", "place/row/minimum", "place/row/below-minimum"]) {
      const { method, params } = JSON.parse(bodyBytes(own.get(id)?.steps[0]?.send ?? {}, {}).toString());
      expect([method, params[0].text]).toEqual(["notes.add-note", text]);
    }
  });

  it("has no two cases of one id", () => {
    const { cases: all }: { cases: readonly Case[] } = JSON.parse(outputOf(corpus)["notes-add-note.json"] ?? "");
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });
});
