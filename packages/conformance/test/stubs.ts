import { fileURLToPath } from "node:url";
import { createMockServer, type MockServer, type MockServerOptions } from "@quern/mock-server";
import { stubsFrom } from "@quern/mock-server/files";

/** Stubs with the rows of the statements of the corpus. */
export const corpusStubs = stubsFrom(
  fileURLToPath(new URL("conformance/stubs", import.meta.resolve("@quern/spec/package.json"))),
);

/** Creates a mock that conforms to the whole corpus. */
export function createConformingMock(options: MockServerOptions = {}): MockServer {
  return createMockServer({ ...options, stubs: corpusStubs });
}
