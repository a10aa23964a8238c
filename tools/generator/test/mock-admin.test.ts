import { expect, it } from "vitest";
import { load } from "../src/load.ts";
import { mockAdminFile } from "../src/output-file.ts";

it("the mock server's administration is a document as the service's: valid, and of keywords that are understood", () => {
  expect(load(mockAdminFile).methods.map(({ name }) => name)).toContain("createNamespace");
});
