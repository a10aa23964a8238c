import { describe, expect, it, vi } from "vitest";
import { SlowAnswer } from "../../../src/server/check.ts";
import type { CallOutcome, Connection } from "../../../src/server/connection.ts";
import { createContract } from "../../../src/server/document.ts";
import { anyBody, notifications } from "../../../src/server/properties/bodies.ts";
import { links } from "../../../src/server/properties/links.ts";
import type { PropertyContext } from "../../../src/server/properties/property.ts";
import { views } from "../../../src/server/properties/views.ts";
import type { Session } from "../../../src/server/session.ts";

const contract = createContract({
  methods: [
    {
      name: "create",
      params: [{ schema: { type: "object", required: ["sql", "tag"], properties: { sql: {}, tag: {}, more: {} } } }],
      links: [
        { name: "poll", method: "get", params: { params: { id: "$" + "{result.run.id}", deep: { as: "is", n: 1 } } } },
        { name: "none", method: "absent" },
      ],
      examples: [{ name: "one", params: [{ value: { sql: "example", tag: "of example" } }] }],
    },
    {
      name: "get",
      links: [{ name: "again", method: "get", params: { params: "$" + "{result.id}" } }],
      errors: [
        { $ref: "#/components/errors/RunNotFound" },
        { $ref: "#/components/errors/Busy" },
        { $ref: "#/components/errors/InvalidParams" },
      ],
    },
  ],
  components: { errors: { RunNotFound: { code: -1 }, Busy: { code: -2 }, InvalidParams: { code: -3 } } },
});

/** Context of a property with these functions of the connection. */
const contextOf = (connection: Partial<Connection>, known = {}) =>
  ({ session: { contract } as Session, connection, known }) as unknown as PropertyContext;

describe("links", () => {
  /** Follows links on a server with these answers. Returns its calls. */
  async function followed(steps: readonly (readonly [number, number])[], answers: readonly CallOutcome[], known = {}) {
    const calls: [string, unknown][] = [];
    const call = async (method: string, params: unknown) => {
      calls.push([method, params]);
      return answers[calls.length - 1] ?? {};
    };
    await links.holds(
      steps.map(([from, link]) => ({ from, link })),
      contextOf({ call }, known),
    );
    return calls;
  }
  const first = ["create", { sql: "example", tag: "of example" }];

  it("are followed from an earlier result, or the first call is made again", async () => {
    const answers = [{ result: { run: { id: 7 } } }, { result: { id: 8 } }, { result: {} }];
    const steps = [
      [0, 0],
      [0, 0],
      [1, 2],
      [0, 2],
      [0, 1],
      [5, 3],
    ] as const;
    expect(await followed(steps, answers)).toEqual([
      first,
      ["get", { id: 7, deep: { as: "is", n: 1 } }],
      ["get", 8],
      first,
      first,
      ["get", { id: 7, deep: { as: "is", n: 1 } }],
    ]);
  });

  it("begin with the required params, and with known values", async () => {
    expect(await followed([[0, 0]], [], { tag: "known", more: 1 })).toEqual([
      ["create", { sql: "example", tag: "known" }],
    ]);
  });

  it.each([-1, -3, -4])("lead to no error %i", async (code) => {
    const answers = [{ result: { run: { id: 7 } } }, { error: { code, data: { a: 1 } } }];
    await expect(
      followed(
        [
          [0, 0],
          [0, 0],
        ],
        answers,
      ),
    ).rejects.toThrow(`the link poll of create to get: expected a result, got the error ${code} {"a":1}`);
  });

  it("may lead to another declared error, from which no link is followed", async () => {
    const answers = [{ result: { run: { id: 7 } } }, { error: { code: -2, data: 1 } }, { result: { id: 8 } }];
    const calls = await followed(
      [
        [0, 0],
        [0, 0],
        [1, 0],
        [1, 0],
      ],
      answers,
    );
    expect(calls.map(([method]) => method)).toEqual(["create", "get", "get", "get"]);
    expect(calls[3]?.[1]).toBe(8);
  });

  it("name the first call in a problem", async () => {
    await expect(followed([[0, 0]], [{ error: { code: 5, data: null } }])).rejects.toThrow(
      "the first call to create: expected a result, got the error 5 null",
    );
  });

  it("begin with a method that has links and to which none leads, in any order of the methods", async () => {
    const link = { name: "to get", method: "get" };
    const { methods } = createContract({
      methods: [{ name: "get", links: [link] }, { name: "alone" }, { name: "create", links: [link] }],
    });
    const call = vi.fn(async () => ({ result: {} }));
    const context = { session: { contract: { methods } }, connection: { call }, known: {} };
    await links.holds([{ from: 0, link: 0 }], context as unknown as PropertyContext);
    expect(call.mock.calls).toEqual([["create", undefined]]);
  });

  it("are not followed in a document without such a method", async () => {
    const { methods } = createContract({ methods: [{ name: "alone" }] });
    const context = { session: { contract: { methods } }, connection: {}, known: {} };
    expect(await links.holds([{ from: 0, link: 0 }], context as unknown as PropertyContext)).toBeUndefined();
  });

  it("are shown with the number of calls", () => {
    expect(links.show?.([{ from: 1, link: 2 }])).toBe('1 calls: [{"from":1,"link":2}]');
  });
});

describe("notifications", () => {
  const alive = { value: {}, idText: "1" };
  /** Sends two notifications to a server with these answers. Returns the bodies. */
  async function sent(answers: readonly (readonly unknown[] | object | undefined)[]) {
    const bodies: unknown[] = [];
    const send = async (body: string) => {
      bodies.push(JSON.parse(body));
      const value = answers[bodies.length - 1];
      return value === undefined
        ? undefined
        : { value, isBatch: Array.isArray(value), replies: [value].flat().map(() => alive) };
    };
    await notifications.holds(
      [
        { method: "a", id: 1 },
        { method: "b", id: 2 },
      ],
      contextOf({ send }),
    );
    return bodies;
  }

  it("are sent without ids, alone, in a batch, and with a call", async () => {
    const [a, b] = [{ method: "a" }, { method: "b" }];
    expect(await sent([undefined, undefined, undefined, [1]])).toEqual([
      a,
      b,
      [a, b],
      [a, b, { jsonrpc: "2.0", method: "conformance.alive", id: 1 }],
    ]);
  });

  it("have no response", async () => {
    await expect(sent([{ a: 1 }])).rejects.toThrow('expected an empty body, got {"a":1}');
    await expect(sent([undefined, undefined, []])).rejects.toThrow("expected an empty body, got []");
    await expect(sent([undefined, undefined, undefined, undefined])).rejects.toThrow("expected an array, got nothing");
    await expect(sent([undefined, undefined, undefined, {}])).rejects.toThrow("expected an array, got {}");
    await expect(sent([undefined, undefined, undefined, [1, 2]])).rejects.toThrow("expected 1 response, got 2: [1,2]");
  });
});

it("any body is sent as it is, and shown so", async () => {
  const bodies: string[] = [];
  const send = async (body: string) => void bodies.push(body);
  await anyBody.holds("{", contextOf({ send }));
  await expect(anyBody.holds("", contextOf({ send: () => Promise.reject(new SlowAnswer(["late"])) }))).rejects.toThrow(
    "late",
  );
  expect([bodies, anyBody.show?.("{")]).toEqual([["{"], "{"]);
});

describe("a view", () => {
  const rows = [
    [2, "b"],
    [1, "a"],
    [2, "a"],
    [3, "c"],
  ];
  type View = Parameters<ReturnType<typeof views>["holds"]>[0];
  const view: View = { page: { number: 1, size: 4 }, format: "csv", sortBy: [], filters: [] };
  const method = [...contract.methods.values()][0];
  if (method === undefined) throw new Error("the document has a method");
  const { holds } = views(method);

  /** Gets a view from a server that answers with these rows and this total. Returns the params. */
  async function viewed(change: Partial<View>, answer: unknown, totalRows: number, totalPages = 1) {
    const { page, ...others } = { ...view, ...change };
    const sent: unknown[] = [];
    const call = async (_: string, params: unknown) => {
      sent.push(params);
      if (sent.length === 1) return { result: { columnNames: ["n", "text"], rows } };
      const { number: currentPageNumber, size: currentPageSize } = page;
      return { result: { rows: answer, page: { currentPageNumber, currentPageSize, totalRows, totalPages, more: 1 } } };
    };
    await holds({ page, ...others }, contextOf({ call }, { queryRunId: "r" }));
    return sent;
  }

  it.each<[Partial<View>, unknown, number, number]>([
    [{}, rows, 4, 1],
    [{ page: { number: 2, size: 3 } }, [[3, "c"]], 4, 2],
    [{ page: { number: 1, size: 0 } }, [], 4, 0],
    [{ format: "json", page: { number: 1, size: 1 } }, [{ n: 2, text: "b" }], 4, 4],
    [{ sortBy: [{ column: 0, direction: "asc" }] }, [rows[1], rows[0], rows[2], rows[3]], 4, 1],
    [
      {
        sortBy: [
          { column: 2, direction: "desc" },
          { column: 1, direction: "asc" },
        ],
      },
      [rows[3], rows[2], rows[0], rows[1]],
      4,
      1,
    ],
    [{ filters: [{ column: 0, row: 0, by: "eq" }] }, [rows[0], rows[2]], 2, 1],
    [{ filters: [{ column: 3, row: 5, by: "in" }] }, [rows[1], rows[2]], 2, 1],
    [{ filters: [{ column: 0, row: 0, by: "neq" }] }, [rows[1], rows[3]], 2, 1],
    [{ filters: [{ column: 0, row: 0, by: "notIn" }] }, [rows[1], rows[3]], 2, 1],
    [{ filters: [{ column: 0, row: 0, by: "gt" }] }, [rows[3]], 1, 1],
    [{ filters: [{ column: 0, row: 0, by: "gte" }] }, [rows[0], rows[2], rows[3]], 3, 1],
    [{ filters: [{ column: 0, row: 0, by: "lt" }] }, [rows[1]], 1, 1],
    [
      {
        filters: [
          { column: 0, row: 0, by: "lte" },
          { column: 1, row: 1, by: "eq" },
        ],
      },
      [rows[1], rows[2]],
      2,
      1,
    ],
    [
      {
        filters: [
          {
            or: [
              { column: 0, row: 3, by: "eq" },
              { column: 0, row: 1, by: "lte" },
            ],
          },
          { column: 1, row: 3, by: "neq" },
        ],
      },
      [rows[1]],
      1,
      1,
    ],
  ])("of %j is compared with the whole result", async (change, answer, totalRows, totalPages) => {
    await viewed(change, answer, totalRows, totalPages);
    await expect(viewed(change, answer, totalRows + 1, totalPages)).rejects.toThrow(": page: expected {");
    await expect(viewed(change, answer, totalRows, totalPages + 1)).rejects.toThrow(": page: expected {");
    await expect(viewed(change, [[9, "x"]], totalRows, totalPages)).rejects.toThrow(": row 1 of ");
  });

  it("sends the names of the columns and the values of the rows", async () => {
    const change: Partial<View> = {
      sortBy: [{ column: 1, direction: "desc" }],
      filters: [
        { column: 0, row: 3, by: "in" },
        { column: 1, row: 3, by: "notIn" },
        { column: 0, row: 1, by: "gt" },
        { or: [{ column: 1, row: 0, by: "eq" }] },
      ],
    };
    expect(await viewed(change, [], 0, 0)).toEqual([
      { queryRunId: "r" },
      {
        queryRunId: "r",
        page: { number: 1, size: 4 },
        format: "csv",
        sortBy: [{ column: "text", direction: "desc" }],
        filters: [
          { column: "n", in: [3] },
          { column: "text", notIn: ["c"] },
          { column: "n", gt: 1 },
          { or: [{ column: "text", eq: "b" }] },
        ],
      },
    ]);
  });
});
