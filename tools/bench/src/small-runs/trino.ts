import { missingProgram, startTrino as start } from "../../../../packages/trino/test/engine/trino.ts";

/** Trino of the tests on this machine. */
export interface Trino extends AsyncDisposable {
  /** Runs a statement to its last row. */
  run(sql: string): Promise<void>;
}

interface Answer {
  readonly nextUri?: string;
  readonly error?: { readonly message: string };
}

/** Starts Trino. Returns undefined, and prints what is missing, if the machine lacks a program for it. */
export async function startTrino(): Promise<Trino | undefined> {
  const missing = missingProgram();
  if (missing !== undefined) return void console.log(`Trino is not measured: ${missing}`);
  const trino = await start();
  const headers = { "x-trino-user": "bench" };
  return {
    async run(sql) {
      let answer = await read(fetch(`http://${trino.http}/v1/statement`, { method: "POST", body: sql, headers }));
      while (answer.nextUri !== undefined) answer = await read(fetch(answer.nextUri, { headers }));
    },
    [Symbol.asyncDispose]: () => trino[Symbol.asyncDispose](),
  };
}

async function read(response: Promise<Response>): Promise<Answer> {
  const answer: Answer = await (await response).json();
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer;
}
