import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { Contract } from "../document.ts";
import { notAnArray, notAnEmptyBody } from "../expectation.ts";
import { shortJson } from "../json.ts";
import type { Variables } from "../placeholders.ts";
import { oddValues } from "./odd-values.ts";
import type { Property } from "./property.ts";
import { character, paramsOf } from "./schema-values.ts";

/** Generates calls of all methods; most of them are valid. */
export function calls(contract: Contract, known: Variables): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.oneof(
    ...[...contract.methods.values()].map((method) =>
      fc.record({
        jsonrpc: fc.constant("2.0"),
        method: fc.constant(method.name),
        params: method.params === undefined ? fc.constant([]) : fc.tuple(paramsOf(method, contract, known)),
        id: fc.oneof(fc.integer(), fc.string()),
      }),
    ),
  );
}

/** Generates texts with a few replaced characters. */
function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(),
    length: fc.nat(3),
    text: fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("]", "}", '"', "\\u", "\u0000", "{", "[", ",", "1e999"),
    ),
  });
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((whole, { at, length, text: inserted }) => {
      const start = at % (whole.length + 1);
      return whole.slice(0, start) + inserted + whole.slice(start + length);
    }, text),
  );
}

/** Any body gets a well-formed answer, or none if it contains only notifications. */
export const anyBody: Property<string> = {
  id: "fuzz/bodies",
  level: "ROBUST",
  profile: "robustness",
  rule: "Any body gets a well-formed answer that is not an internal error.",
  source: "JSON-RPC 2.0 section 5",
  values({ contract }, known) {
    const call = calls(contract, known);
    const members = fc.oneof(call, oddValues(call), fc.jsonValue({ maxDepth: 3 }));
    const texts = fc.oneof(members, fc.array(members, { maxLength: 5 })).map((value) => JSON.stringify(value));
    return fc.oneof(texts, damaged(texts), fc.json(), fc.string({ unit: character }));
  },
  async holds(body, { connection }) {
    await connection.send(body);
  },
  show: String,
};

/** A request without an id gets no response, neither alone nor in a batch. */
export const notifications: Property<readonly Readonly<Record<string, unknown>>[]> = {
  id: "fuzz/notifications",
  level: "MUST",
  profile: "json-rpc",
  rule: "A notification gets no response.",
  source: "JSON-RPC 2.0 section 4.1",
  values({ contract }, known) {
    const call = calls(contract, known);
    const unknown = fc.record({
      jsonrpc: fc.constant("2.0"),
      method: fc.string(),
      params: fc.array(fc.jsonValue({ maxDepth: 1 })),
    });
    return fc.array(fc.oneof(call, unknown), { minLength: 1, maxLength: 3 });
  },
  async holds(requests, { connection }) {
    const requestsWithoutIds = requests.map(({ id: _, ...request }) => request);
    for (const body of [...requestsWithoutIds, requestsWithoutIds]) {
      const read = await connection.send(JSON.stringify(body));
      if (read !== undefined) throw new StepFailure([notAnEmptyBody(read.value)]);
    }
    const read = await connection.send(
      JSON.stringify([...requestsWithoutIds, { jsonrpc: "2.0", method: "conformance.alive", id: 1 }]),
    );
    if (read === undefined || !read.isBatch) throw new StepFailure([notAnArray(read?.value)]);
    if (read.replies.length !== 1)
      throw new StepFailure([`expected 1 response, got ${read.replies.length}: ${shortJson(read.value)}`]);
  },
};
