import { describe, expect, it } from "vitest";
import { createContract } from "../../../src/server/document.ts";
import { acceptedParams } from "../../../src/server/properties/params.ts";

const schema = { type: "object", required: ["sql"], properties: { sql: { type: "string" }, tag: {}, id: {} } };
const contract = createContract({
  components: { errors: {} },
  methods: [
    {
      name: "run",
      paramStructure: "by-position",
      params: [{ name: "params", required: true, schema }],
      result: { name: "result", schema: {} },
      errors: [{ code: -32001, message: "Busy" }],
      examples: [{ name: "one", params: [{ name: "params", value: { sql: "select 1", id: "example" } }], result: {} }],
    },
  ],
});
const [method] = [...contract.methods.values()];
if (method === undefined) throw new Error("the document has a method");
const { holds } = acceptedParams(method);

/** Calls a server that answers with these errors one after the other; the params of the calls. */
async function called(errors: readonly (object | undefined)[], params: object, known = {}): Promise<unknown[]> {
  const sent: unknown[] = [];
  const left = [...errors];
  const call = async (_: string, given: unknown) => {
    sent.push(given);
    return { error: left.shift(), result: {} };
  };
  await holds(params, { connection: { call }, known } as never);
  return sent;
}
const refusal = (...members: string[]) => ({
  code: -32602,
  data: { issues: members.map((member) => ({ pointer: `/params/0/${member}` })) },
});

describe("params that the schema allows", () => {
  it("are accepted by a result, or by an error that the method declares", async () => {
    expect(await called([undefined], { sql: "a" })).toHaveLength(1);
    expect(await called([{ code: -32001 }], { sql: "a" })).toHaveLength(1);
  });

  it("may be refused for a value, and then are sent without it", async () => {
    expect(await called([refusal("tag")], { sql: "a", tag: 1 })).toEqual([{ sql: "a", tag: 1 }, { sql: "a" }]);
  });

  it("have a known value, or that of the example, for what is needed", async () => {
    const sent = await called([refusal("sql", "id")], { sql: "a" }, { sql: "known" });
    expect(sent[1]).toEqual({ sql: "known", id: "example" });
    expect((await called([refusal("sql")], { sql: "a", tag: 1 }))[1]).toEqual({ sql: "select 1", tag: 1 });
  });

  it("may be refused one member at a time, and not for ever", async () => {
    await called([refusal("tag"), refusal("sql")], { sql: "a", tag: 1 });
    const always = Array.from({ length: 10 }, () => refusal("sql"));
    await expect(called(always, { sql: "a", tag: 1 })).rejects.toThrow("valid params are refused");
  });

  it.each([-32700, -32600, -32601])("are not answered by the error %i", async (code) => {
    await expect(called([{ code }], { sql: "a" })).rejects.toThrow(`got the error ${code}`);
  });

  it("are answered by no error that the method does not declare", async () => {
    await expect(called([{ code: -32002 }], { sql: "a" })).rejects.toThrow("error code -32002 is not declared by run");
  });
});
