import fc from "fast-check";
import { createAnswerEquality } from "../answer-equality.ts";
import { StepFailure } from "../check.ts";
import type { Connection } from "../connection.ts";
import { notAnArray } from "../expectation.ts";
import { areEqual, isObject, type JsonObject, shortJson, valueAt } from "../json.ts";
import type { Reply } from "../response-body.ts";
import { calls } from "./bodies.ts";
import { oddValues } from "./odd-values.ts";
import type { Property, PropertyContext } from "./property.ts";

type Requests = readonly JsonObject[];

/** A batch has the responses that its requests get alone, in any order. */
export const batches: Property<Requests> = {
  id: "fuzz/batches",
  level: "MUST",
  profile: "json-rpc",
  rule: "A call gets the same response in a batch as alone.",
  source: "JSON-RPC 2.0 section 6",
  values({ contract }, known) {
    const call = calls(contract, known);
    const odd = oddValues(call).filter(isObject);
    return fc
      .array(fc.oneof({ weight: 3, arbitrary: call }, odd), { minLength: 1, maxLength: 6 })
      .map((requests) => requests.map((request, index) => ({ ...request, id: index + 1 })));
  },
  async holds(requests, context) {
    // Concurrent checks may change the response to a call once; a fault of batches appears again.
    const problem = await differenceOf(requests, context);
    if (problem !== undefined && (await differenceOf(requests, context)) !== undefined)
      throw new StepFailure([problem]);
  },
};

/**
 * Returns the first difference between the responses of a batch and those of its calls alone.
 * @throws StepFailure if the calls do not get one response each
 */
async function differenceOf(requests: Requests, { session, connection }: PropertyContext): Promise<string | undefined> {
  const agree = createAnswerEquality(session.contract);
  const isSame = (a: JsonObject | undefined, b: JsonObject | undefined) =>
    agree(a?.result, b?.result) && valueAt(a, "/error/code") === valueAt(b, "/error/code");
  const before = await alone(requests, connection);
  let after: Promise<readonly Reply[]> | undefined;
  const read = await connection.send(JSON.stringify(requests));
  if (read === undefined || !read.isBatch) throw new StepFailure([notAnArray(read?.value)]);
  if (read.replies.length !== before.length)
    throw new StepFailure([`expected ${before.length} responses, got ${read.replies.length}`]);
  for (const [index, { value }] of before.entries()) {
    if (value.id === null) continue;
    const found = read.replies.filter((reply) => areEqual(reply.value.id, value.id));
    if (found.length !== 1) throw new StepFailure([`id ${shortJson(value.id)} is answered ${found.length} times`]);
    if (isSame(found[0]?.value, value)) continue;
    after ??= alone(requests, connection);
    // A response that also changes without a batch cannot be compared.
    if (isSame(value, (await after)[index]?.value))
      return `in a batch: ${shortJson(found[0]?.value)}, alone: ${shortJson(value)}`;
  }
  return undefined;
}

async function alone(requests: Requests, connection: Connection): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const request of requests) {
    const read = await connection.send(JSON.stringify(request));
    const reply = read?.replies[0];
    if (reply === undefined) throw new StepFailure([`expected one response to a call, got ${shortJson(read?.value)}`]);
    replies.push(reply);
  }
  return replies;
}
