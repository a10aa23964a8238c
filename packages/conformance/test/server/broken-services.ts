import { type Handler, intercepted, type Reply } from "@quern/json-rpc/handler";
import { isObject } from "../../src/server/json.ts";

/** Members of a response object that faults change. */
interface Answer {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Fault of a service. Other answers are correct. */
export interface Fault {
  readonly name: string;
  /** Ids of the cases that find it. */
  readonly fails: readonly string[];
  /** Changes one response; undefined keeps it. */
  readonly one?: (answer: Answer) => unknown;
  readonly batch?: (answers: readonly Answer[]) => unknown;
  /** Response to a notification. */
  readonly silence?: unknown;
  /** Body of every answer. */
  readonly text?: string;
}

/** Returns an early state of a run at every third poll. */
function goingBack(): (answer: Answer) => unknown {
  const pollsOf = new Map<unknown, number>();
  return (answer) => {
    const run = answer.result?.queryRun;
    if (!isObject(run) || answer.result?.redirectedToQueryRun !== null) return undefined;
    const polls = (pollsOf.get(run.id) ?? 0) + 1;
    pollsOf.set(run.id, polls);
    const early = { ...run, state: "QUERY_STATE_RUNNING", endedAt: null };
    return polls % 3 === 0 ? { ...answer, result: { ...answer.result, queryRun: early } } : undefined;
  };
}

export const faults: readonly Fault[] = [
  {
    name: "gives ids back as texts",
    fails: ["REQ-001"],
    one: (answer) => (typeof answer.id === "number" ? { ...answer, id: `${answer.id}` } : undefined),
  },
  {
    name: "rounds large ids",
    fails: ["REQ-008"],
    // A parsed and serialized id has lost digits.
    one: (answer) => (Number(answer.id) > Number.MAX_SAFE_INTEGER ? answer : undefined),
  },
  {
    name: "answers notifications",
    fails: ["BAT-072", "EX-003", "NOT-034", "fuzz/notifications"],
    silence: { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } },
  },
  {
    name: "loses a member of a batch",
    fails: ["BAT-064", "BAT-073", "BAT-076", "fuzz/batches"],
    batch: (answers) => answers.slice(1),
  },
  { name: "answers a member twice", fails: ["BAT-064", "BAT-065"], batch: (answers) => [...answers, answers[0]] },
  {
    name: "answers an empty batch with an empty array",
    fails: ["BAT-066", "EX-008"],
    one: ({ error }) => (error?.message.includes("batch") ? [] : undefined),
  },
  { name: "forgets the version", fails: ["REQ-001"], one: ({ id, result }) => (id === 1 ? { id, result } : undefined) },
  {
    name: "sends result and error",
    fails: ["REQ-001"],
    one: (answer) => (answer.result ? { ...answer, error: null } : undefined),
  },
  {
    name: "invents runs",
    fails: ["ORPC-103"],
    one: ({ id, error }) => (error?.code === -32099 ? { jsonrpc: "2.0", id, result: {} } : undefined),
  },
  {
    name: "makes up codes",
    fails: ["ERR-050", "REQ-021"],
    one: (answer) => (answer.error ? { ...answer, error: { ...answer.error, code: -32500 } } : undefined),
  },
  {
    name: "answers what the schema excludes",
    fails: ["ORPC-101"],
    one: (answer) => answer.result && { ...answer, result: { ...answer.result, queryRun: { state: 1 } } },
  },
  {
    name: "leaves the data of an error out",
    fails: ["ORPC-103"],
    one: (answer) => answer.error && { ...answer, error: { code: answer.error.code, message: "lost" } },
  },
  {
    name: "serves another document",
    fails: ["ORPC-097"],
    one: (answer) => (answer.result?.openrpc ? { ...answer, result: { openrpc: "1.3.2" } } : undefined),
  },
  {
    name: "refuses what it must take",
    fails: ["fuzz/createQueryRun/allowed", "fuzz/links"],
    one: (answer) => answer.result && { ...answer, result: undefined, error: { code: -32601, message: "no" } },
  },
  {
    name: "does not say what it refuses",
    fails: ["fuzz/getQueryRun/excluded"],
    one: (answer) =>
      answer.error && { ...answer, error: { code: answer.error.code, message: "no", data: { issues: [] } } },
  },
  {
    name: "forgets runs",
    fails: ["CANCEL-001", "fuzz/links"],
    one: ({ id, result }) =>
      result?.redirectedToQueryRun === null && {
        jsonrpc: "2.0",
        id,
        error: { code: -32099, message: "no", data: { queryRunId: "a" } },
      },
  },
  {
    name: "lets runs go back",
    fails: ["RUN-001", "fuzz/links"],
    one: goingBack(),
  },
  {
    name: "loses the first row of a page",
    fails: ["PAGE-002", "SORT-001", "fuzz/views"],
    one: (answer) =>
      Array.isArray(answer.result?.rows) && {
        ...answer,
        result: { ...answer.result, rows: answer.result.rows.slice(1) },
      },
  },
  { name: "answers HTML", fails: ["ERR-050", "REQ-001", "fuzz/bodies"], text: "<html>" },
];

function altered({ one, batch, silence, text }: Fault, body: Reply["body"]): string | undefined {
  if (text !== undefined) return text;
  if (body === null) return JSON.stringify(silence);
  const value: Answer | readonly Answer[] = JSON.parse(
    body.map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString())).join(""),
  );
  // Array.isArray does not narrow readonly arrays.
  const changed = Array.isArray(value) ? batch?.(value) : one?.(value as Answer);
  return changed === false ? undefined : JSON.stringify(changed);
}

/** Returns the service with its answers changed by a fault. */
export function withFault(handler: Handler, fault: Fault): Handler {
  return intercepted(handler, async ({ body }, next) => {
    const reply = await next(body);
    const text = altered(fault, reply.body);
    if (text === undefined) return reply;
    return { status: 200, headers: { "content-type": "application/json" }, body: [Buffer.from(text)] };
  });
}
