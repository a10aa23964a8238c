import { expect, it } from "vitest";
import type { Corpus } from "../../../../packages/conformance/src/server/corpus.ts";
import { bodyBytes } from "../../../../packages/conformance/src/server/request-body.ts";
import { corpus } from "../../src/targets/corpus/target.ts";
import { createDocument, exampleParams } from "../support/document.ts";
import { outputOf } from "./support.ts";

it("a text that looks like a placeholder of the corpus is escaped", () => {
  const document = createDocument();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what the corpus would replace
  const text = "${b} costs ${apiKey}";
  Object.assign(exampleParams(document), { text });
  const { cases }: Corpus = JSON.parse(outputOf(corpus, document)["notes-add-note.json"] ?? "");
  for (const id of ["example/a-short-note", "place/row/minimum", "place/row/below-minimum"]) {
    const { method, params } = JSON.parse(
      bodyBytes(cases.find((one) => one.id === `notes-add-note/${id}`)?.steps[0]?.send ?? {}, {}).toString(),
    );
    expect([method, params[0].text]).toEqual(["notes.add-note", text]);
  }
});

it("tests the members inside the alternatives of a value, and what lacks all of them once", () => {
  const document = createDocument();
  const text = { type: "string" };
  const either = (name: string) => ({
    type: "object",
    properties: { [name]: text },
    required: [name],
    additionalProperties: false,
  });
  Object.assign(document.components.schemas.AddNoteParams.properties, {
    either: { anyOf: [either("a"), either("b"), { type: "array", items: text }] },
  });
  const { cases }: Corpus = JSON.parse(outputOf(corpus, document)["notes-add-note.json"] ?? "");
  const ids = cases.map(({ id }) => id).filter((id) => id.includes("/either/") && !/type-(?!null)/.test(id));
  expect(ids.map((id) => id.replace(/.*\/either\//, ""))).toEqual([
    "type-null",
    "a/missing",
    "a/type-null",
    "unexpected",
    "b/type-null",
    "0/type-null",
  ]);
});
