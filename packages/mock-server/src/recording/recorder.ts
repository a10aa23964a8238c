import type { Fetch } from "@quern/json-rpc/fetch";
import type { Call } from "../wire/call.ts";
import { parsedCalls } from "../wire/exchange.ts";
import { type FaultError, isReplyTo, parsedReply, type ReplyBody } from "../wire/reply.ts";
import type { RecordedAnswer, Recording } from "./recording.ts";
import { redactedAnswer, redactedMessage, redactedParams } from "./redaction.ts";

/** Service to record, and a valid key of it. */
export interface RecordedService {
  /** Base URL. */
  readonly url: string;
  /** API key; it is not recorded. */
  readonly apiKey: string;
}

export interface Recorder {
  /** Calls the service, and records calls and answers; pass it to a client in place of its `fetch`. */
  readonly fetch: Fetch;
  /**
   * Returns the recorded answers, without API keys, literals of statements, values of parameters and filters, and
   * signed links. They contain rows, tags, and names and error messages, in which an engine may repeat a literal.
   */
  recording(): Recording;
}

/** Recorded answers of a service. */
export interface RecordedAnswers extends Pick<Recorder, "recording"> {
  /** Records the calls that have a reply. */
  record(calls: readonly (Call | undefined)[], replies: ReplyBody): void;
}

export function createAnswers(): RecordedAnswers {
  const answers: RecordedAnswer[] = [];
  return {
    record(calls, { objects }) {
      for (const call of calls) {
        const reply = objects.find((one) => isReplyTo(call, one));
        if (call === undefined || reply === undefined) continue;
        const { result, error } = reply;
        const answer = error === undefined ? { result: redactedAnswer(result) } : { error: redactedError(error) };
        answers.push({ method: call.method, params: redactedParams(call.params), ...answer });
      }
    },
    recording: () => ({ calls: [...answers] }),
  };
}

/**
 * Creates a recorder of a service's answers, which a mock can replay.
 * @param fetch Function that calls the service. @default globalThis.fetch
 */
export function createRecorder(fetch: Fetch = globalThis.fetch): Recorder {
  const { record, recording } = createAnswers();

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const sent = request.clone();
      const response = await fetch(request);
      // A body that cannot be read is passed on without being recorded.
      await Promise.all([sent.text(), response.clone().text()])
        .then(([body, answer]) => record(parsedCalls(body), parsedReply(answer)))
        .catch(() => undefined);
      return response;
    },
    recording,
  };
}

function redactedError(error: unknown): FaultError {
  const redacted = redactedAnswer(error) as FaultError; // errors of a service are not validated
  return typeof redacted?.message === "string" ? { ...redacted, message: redactedMessage(redacted.message) } : redacted;
}
