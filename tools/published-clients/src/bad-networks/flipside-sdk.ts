import { text } from "node:stream/consumers";
import { Flipside } from "@flipsidecrypto/sdk";

/** Performs the task of a case of `quern conform-client` with `@flipsidecrypto/sdk`. */

interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Task {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly calls?: readonly Call[];
  readonly sequence?: readonly Call[];
  readonly query?: { readonly sql: string; readonly pageSize?: number };
}

const task: Task = JSON.parse(await text(process.stdin)); // `quern conform-client` writes this JSON.
const { query } = new Flipside(task.apiKey, task.url);

/** Body of the last response. The SDK returns only a part of a result, but a case needs the whole result. */
let answer = "";
const { fetch } = globalThis;
globalThis.fetch = async (...request) => {
  const response = await fetch(...request);
  answer = await response
    .clone()
    .text()
    .catch(() => "");
  return response;
};

function endingOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const { errorType = "" } = error as { readonly errorType?: string };
  const code = /code=(.*)$/s.exec(message)?.[1];
  const status = /statusCode: (\d+)/.exec(message)?.[1];
  if (code !== undefined) return `rpc ${code}`;
  if (status !== undefined) return `http ${status}`;
  if (errorType === "QUERY_RUN_EXECUTION_ERROR") return "failed";
  if (errorType === "QUERY_RUN_TIMEOUT_ERROR") return "timeout";
  return /fetch failed|terminated|network/i.test(message) ? "network" : "protocol";
}

async function ending(work: () => Promise<unknown>): Promise<object> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error: endingOf(error) };
  }
}

async function rows(sql: string, pageSize: number | undefined): Promise<unknown> {
  const timeoutMinutes = task.timeoutMs / 60_000;
  const { rows, error } = await query.run({
    sql,
    timeoutMinutes,
    retryIntervalSeconds: 0.02,
    ...(pageSize && { pageSize }),
  });
  if (error !== null) throw error;
  return rows;
}

async function call({ method, params }: Call): Promise<unknown> {
  const queryRunId = String(params.queryRunId);
  if (method === "createQueryRun") await query.createQueryRun({ sql: String(params.sql) });
  else if (method === "getQueryRun") await query.getQueryRun({ queryRunId });
  else {
    const { error } = await query.getQueryResults({ queryRunId, pageSize: 100 });
    if (error !== null) throw error;
  }
  return JSON.parse(answer).result;
}

const endings: object[] = [];
if (task.query) endings.push(await ending(() => rows(task.query?.sql ?? "", task.query?.pageSize)));
for (const one of [...(task.calls ?? []), ...(task.sequence ?? [])]) endings.push(await ending(() => call(one)));
console.log(JSON.stringify({ endings }));
