import { describe, expect, it } from "vitest";
import { createContract } from "../../../src/server/document.ts";
import { batches } from "../../../src/server/properties/batches.ts";
import { createSession } from "../../../src/server/session.ts";

const document = { methods: [{ name: "count" }] };
const session = createSession({
  endpoint: "http://127.0.0.1:1",
  apiKey: "",
  contract: createContract(document),
  timeoutMs: 1,
});

/** Tests a server that answers each request with the next of these results. */
async function held(results: readonly number[]): Promise<void> {
  const left = [...results];
  const send = async (body: string) => {
    const value = { jsonrpc: "2.0", id: 1, result: left.shift() };
    return { isBatch: body.startsWith("["), value, replies: [{ value, idText: "1" }] };
  };
  const connection = { send, status: () => 200, call: async () => ({}), [Symbol.asyncDispose]: async () => {} };
  await batches.holds([{ jsonrpc: "2.0", method: "count", id: 1 }], { session, connection, known: {} });
}

describe("a batch", () => {
  it("may have the results of its calls alone, or results that change by themselves", async () => {
    await held([7, 7]);
    await held([7, 8, 9]);
  });

  it("may differ once, because of a concurrent change", async () => {
    await held([7, 8, 7, 7, 7]);
  });

  it("must not differ twice", async () => {
    await expect(held([7, 8, 7, 7, 8, 7])).rejects.toThrow(
      'in a batch: {"jsonrpc":"2.0","id":1,"result":8}, alone: {"jsonrpc":"2.0","id":1,"result":7}',
    );
  });
});
