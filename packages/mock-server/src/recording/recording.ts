import type { Schema } from "@quern/json-rpc/envelope";
import { contract } from "@quern/protocol/contract";
import type { FaultError } from "../wire/reply.ts";

/** A call and its answer as they are kept. */
export interface RecordedAnswer {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: FaultError;
}

/** Answers of a service, without keys and literals: JSON, to be kept beside the tests. */
export interface Recording {
  readonly calls: readonly RecordedAnswer[];
}

/** Reads a recording, and holds it to the contract as it is today. @throws TypeError with the pointer to what does not fit. */
export function recordingOf(value: unknown): Recording {
  const { calls } = (value ?? {}) as { readonly calls?: unknown }; // of whatever was parsed
  if (!Array.isArray(calls)) throw new TypeError("a recording is an object with an array `calls`");
  for (const [at, call] of calls.entries()) check(call, `/calls/${at}`);
  return { calls };
}

function check(call: Partial<RecordedAnswer> | null, pointer: string): void {
  const { method = "", params, result, error } = call ?? {};
  // The contract's own names, so that `constructor` is none of them.
  const found = Object.entries(contract).find(([name]) => name === method)?.[1];
  if (found === undefined)
    throw new TypeError(`${pointer}/method of the recording is no method of the contract: ${JSON.stringify(method)}`);
  hold(params, found.params, `${pointer}/params`);
  if (error === undefined) hold(result, found.result, `${pointer}/result`);
}

function hold(value: unknown, schema: Schema<unknown>, pointer: string): void {
  const [issue] = schema["~standard"].validate(value).issues ?? [];
  if (issue === undefined) return;
  const { expected, received } = issue;
  throw new TypeError(
    `${pointer}${issue.pointer} of the recording has to be ${expected}, not ${received}; record it again`,
  );
}
