import type { Schema } from "@quern/json-rpc/envelope";
import { contract } from "@quern/protocol/contract";
import type { FaultError } from "../wire/reply.ts";

/** Recorded call and its answer: a result or an error. */
export interface RecordedAnswer {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: FaultError;
}

/**
 * Answers of a service as JSON, without API keys, literals of statements, values of parameters and filters, and signed
 * links. Rows and tags stay, and so do names and error messages, in which an engine may repeat a literal.
 */
export interface Recording {
  readonly calls: readonly RecordedAnswer[];
}

/** Validates a recording against the contract. @throws TypeError that names the first problem. */
export function recordingOf(value: unknown): Recording {
  const { calls } = (value ?? {}) as { readonly calls?: unknown }; // parsed JSON of any form
  if (!Array.isArray(calls)) throw new TypeError("recording: expected an object with an array `calls`");
  for (const [at, call] of calls.entries()) check(call, `/calls/${at}`);
  return { calls };
}

function check(call: Partial<RecordedAnswer> | null, pointer: string): void {
  const { method = "", params, result, error } = call ?? {};
  // Own names only: `contract["constructor"]` would exist.
  const served = Object.entries(contract).find(([name]) => name === method)?.[1];
  if (served === undefined)
    throw new TypeError(
      `recording: unknown method at ${pointer}/method: ${JSON.stringify(method)}; make the recording again`,
    );
  validate(params, served.params, `${pointer}/params`);
  if (error === undefined) validate(result, served.result, `${pointer}/result`);
}

function validate(value: unknown, schema: Schema<unknown>, pointer: string): void {
  const [issue] = schema["~standard"].validate(value).issues ?? [];
  if (issue === undefined) return;
  const { expected, received } = issue;
  throw new TypeError(
    `recording: invalid ${pointer}${issue.pointer}: expected ${expected}, got ${received}; make the recording again`,
  );
}
