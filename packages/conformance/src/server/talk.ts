import { StepFailure } from "./check.ts";
import type { Answer } from "./exchange.ts";
import { invariantProblems, type ReadAnswer, type Reply, readAnswer } from "./invariants.ts";
import { isObject, shown } from "./json.ts";
import type { SentMember } from "./members.ts";
import type { Session } from "./session.ts";

/** What a call ended in. */
export interface Ending {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data: unknown };
}

/** Sends whatever a property makes up, on one connection, and holds every answer to the invariants. */
export interface Talk extends AsyncDisposable {
  /** @returns The answer read, undefined where its body is empty. @throws StepFailure */
  send(body: string): Promise<ReadAnswer | undefined>;
  /** Makes one call. @throws StepFailure */
  call(method: string, params: unknown): Promise<Ending>;
}

export function createTalk(session: Session): Talk {
  const sender = session.createSender();
  let lastId = 0;

  async function send(body: string): Promise<ReadAnswer | undefined> {
    // The text is no template of the corpus.
    const request = { base64: Buffer.from(body).toString("base64"), connection: "kept" } as const;
    const { sent, answer } = await sender.send(request, session.variables);
    const read = answer === undefined || answer.body.length === 0 ? undefined : readAnswer(answer);
    const problems = answer === undefined ? ["there is no answer"] : judged(answer, read, sent);
    if (problems.length > 0) throw new StepFailure(problems);
    return read;
  }

  function judged(answer: Answer, read: ReadAnswer | undefined, sent: readonly SentMember[]): readonly string[] {
    return invariantProblems(answer, read, sent, session.contract);
  }

  return {
    send,
    async call(method, params) {
      lastId += 1;
      const read = await send(JSON.stringify({ jsonrpc: "2.0", method, params: [params], id: lastId }));
      const reply = read?.replies[0];
      if (reply === undefined || reply.value.id !== lastId)
        throw new StepFailure([`${method} was answered with ${shown(read?.value)}`]);
      return endingOf(reply);
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

function endingOf({ value }: Reply): Ending {
  // The invariants have been held, so an error has a code.
  if (isObject(value.error)) return { error: { code: Number(value.error.code), data: value.error.data } };
  return { result: value.result };
}
