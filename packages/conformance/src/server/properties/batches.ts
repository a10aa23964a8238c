import fc from "fast-check";
import { StepFailure } from "../check.ts";
import type { Reply } from "../invariants.ts";
import { areEqual, isObject, type JsonObject, shown, valueAt } from "../json.ts";
import { agreementBy } from "../named-members.ts";
import type { Talk } from "../talk.ts";
import { calls } from "./bodies.ts";
import { oddValues } from "./odd-values.ts";
import type { Property } from "./property.ts";

type Requests = readonly JsonObject[];

/** A batch gives, in whatever order, what its members give alone. */
export const batches: Property<Requests> = {
  id: "fuzz/batches",
  level: "MUST",
  profile: "json-rpc",
  rule: "A batch is answered as its members are answered alone, each once",
  source: "JSON-RPC 2.0 section 6",
  values({ contract }, known) {
    const call = calls(contract, known);
    const odd = oddValues(call).filter(isObject);
    return fc
      .array(fc.oneof({ weight: 3, arbitrary: call }, odd), { minLength: 1, maxLength: 6 })
      .map((requests) => requests.map((request, index) => ({ ...request, id: index + 1 })));
  },
  async holds(requests, { session, talk }) {
    const agree = agreementBy(session.contract.document);
    const isSame = (a: JsonObject | undefined, b: JsonObject | undefined) =>
      agree(a?.result, b?.result) && valueAt(a, "/error/code") === valueAt(b, "/error/code");
    const before = await alone(requests, talk);
    const read = await talk.send(JSON.stringify(requests));
    if (read === undefined || !read.isBatch) throw new StepFailure([`a batch is answered with ${shown(read?.value)}`]);
    const after = await alone(requests, talk);
    for (const [index, reply] of before.entries()) {
      const found = read.replies.filter(({ value }) => areEqual(value.id, reply.value.id));
      if (reply.value.id !== null && found.length !== 1)
        throw new StepFailure([`the id ${shown(reply.value.id)} is answered ${found.length} times`]);
      // What changes by itself, or by the calls, cannot be compared.
      const isSteady = isSame(reply.value, after[index]?.value);
      if (isSteady && reply.value.id !== null && !isSame(found[0]?.value, reply.value))
        throw new StepFailure([`in a batch: ${shown(found[0]?.value)}, alone: ${shown(reply.value)}`]);
    }
    if (read.replies.length !== before.length)
      throw new StepFailure([`${before.length} calls are answered by ${read.replies.length} replies`]);
  },
};

async function alone(requests: Requests, talk: Talk): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const request of requests) {
    const read = await talk.send(JSON.stringify(request));
    const reply = read?.replies[0];
    if (reply === undefined) throw new StepFailure([`a call is answered with ${shown(read?.value)}`]);
    replies.push(reply);
  }
  return replies;
}
