import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readModel } from "../src/model-reader.ts";
import { parseSpecDocument } from "../src/spec-document.ts";

it("the mock server's administration is a document as the service's: valid, and of keywords that are understood", () => {
  const path = "spec/mock-admin.json";
  const document = parseSpecDocument(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"), path);
  expect(readModel(document).methods.map(({ name }) => name)).toContain("createNamespace");
});
