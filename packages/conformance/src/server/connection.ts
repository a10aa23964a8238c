import { StepFailure } from "./check.ts";
import { checkAnswer } from "./invariants.ts";
import { isObject, shortJson } from "./json.ts";
import type { ParsedAnswer, Reply } from "./response-body.ts";
import type { Session } from "./session.ts";

/** Result or error of a call. */
export interface CallOutcome {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data: unknown };
}

/** Sends requests on one connection and checks each answer by the invariants. */
export interface Connection extends AsyncDisposable {
  /** Sends a body. Returns the parsed answer, or undefined if its body is empty. @throws StepFailure if it breaks an invariant */
  send(body: string): Promise<ParsedAnswer | undefined>;
  /**
   * Makes one call, without parameters if `params` is undefined.
   * @throws StepFailure if the answer breaks an invariant, or is not the response to the call
   */
  call(method: string, params: unknown): Promise<CallOutcome>;
  /** Returns the HTTP status of the latest answer. */
  status(): number | undefined;
}

export function openConnection(session: Session): Connection {
  const sender = session.createSender();
  let lastId = 0;
  let status: number | undefined;

  async function send(body: string): Promise<ParsedAnswer | undefined> {
    // Base64 keeps `${…}` in the body from being filled as a placeholder of the corpus.
    const request = { base64: Buffer.from(body).toString("base64"), connection: "kept" } as const;
    const { sent, answer, contradictions } = await sender.send(request, session.variables);
    if (answer === undefined) throw new StepFailure(["no response"]);
    status = answer.status;
    const { read, problems: own } = checkAnswer(answer, sent, session.contract);
    const problems = [...contradictions, ...own];
    if (problems.length > 0) throw new StepFailure(problems.map((problem) => `HTTP ${answer.status}: ${problem}`));
    return read;
  }

  return {
    send,
    status: () => status,
    async call(method, params) {
      lastId += 1;
      const read = await send(
        JSON.stringify({ jsonrpc: "2.0", method, params: params === undefined ? [] : [params], id: lastId }),
      );
      const reply = read?.replies[0];
      if (reply === undefined || reply.value.id !== lastId)
        throw new StepFailure([
          `${method}: expected one response with the id ${lastId}, got ${shortJson(read?.value)}`,
        ]);
      return outcomeOf(reply);
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

function outcomeOf({ value }: Reply): CallOutcome {
  // The invariants were checked, so an error has a code.
  if (isObject(value.error)) return { error: { code: Number(value.error.code), data: value.error.data } };
  return { result: value.result };
}
