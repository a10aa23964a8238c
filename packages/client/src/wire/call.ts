import { encodeRequest, isWritten, type MethodDescriptor } from "@quern/json-rpc/envelope";
import { type DeadlineOptions, whenStopped } from "./deadline.ts";
import { abortError, type QuernError } from "./quern-error.ts";

/** Options of one call. The `timeoutMs` of the client applies by default. */
export interface CallOptions extends DeadlineOptions {
  /**
   * Sends the call in an HTTP request of its own.
   * @default true for a page of results and for a create with `waitSeconds`
   */
  readonly unbatched?: boolean | undefined;
  /**
   * The service may hold the answer: the call shares a batch only with long polls of the same method.
   * @default true for a call with `waitSeconds`
   */
  readonly longPoll?: boolean | undefined;
  /** Expected size of the answer in bytes. Calls share a batch while the sum stays below 1 MB. */
  readonly replyBytes?: number | undefined;
  /**
   * Retries the call only if the service has certainly not processed it.
   * @default true for a method that is not safe to repeat
   */
  readonly once?: boolean | undefined;
  /**
   * Called when the signal is aborted or the time limit passes after the call has been sent. With this callback an abort of
   * the signal does not end the call: it waits for its answer or its time limit.
   */
  readonly onAbort?: (() => void) | undefined;
  /** Lets a browser complete the request after its page is closed. For requests below 64 kB. */
  readonly keepalive?: boolean | undefined;
}

/** Call that is queued or sent. */
export interface Call {
  readonly id: number;
  readonly descriptor: MethodDescriptor;
  /** The request as JSON text. */
  readonly text: string;
  readonly options: CallOptions;
  /** True once the call has succeeded or failed. */
  done: boolean;
  sent: boolean;
  /** Called when the signal or the time limit ends the call. */
  onAbort?: () => void;
  /** Ends the call. Later results are ignored. */
  finish(error: QuernError | undefined, result?: unknown): void;
}

/**
 * Creates a call and passes it to `send`, unless its signal is aborted already.
 * @returns the result of the call
 */
export function startCall(
  id: number,
  descriptor: MethodDescriptor,
  params: { readonly queryRunId?: string; readonly parameters?: object },
  options: CallOptions,
  send: (call: Call) => void,
): Promise<unknown> {
  const { queryRunId, parameters } = params; // not every method has these members
  return new Promise((resolve, reject) => {
    checkParameters(parameters);
    let end = () => {};
    const call: Call = {
      id,
      descriptor,
      text: encodeRequest(id, descriptor.name, params),
      options,
      done: false,
      sent: false,
      finish(error, result) {
        if (call.done) return;
        call.done = true;
        end();
        if (error) reject(Object.assign(error, queryRunId && { queryRunId }));
        else resolve(result);
      },
    };
    const onStop = (reason: unknown, bySignal: boolean) => {
      if (call.sent) options.onAbort?.();
      if (bySignal && call.sent && options.onAbort) return;
      call.finish(abortError(reason, descriptor.name));
      call.onAbort?.();
    };
    end = whenStopped(options, onStop);
    if (!call.done) send(call);
  });
}

/**
 * Checks parameters as each call that sends them does.
 * @throws {TypeError} for a value that JSON would replace by another or by null
 */
export function checkParameters(parameters: object = {}): void {
  for (const [name, value] of Object.entries(parameters)) {
    const isKept =
      typeof value === "number"
        ? isWritten(value)
        : !/^(undefined|bigint|function|symbol)$/.test(typeof value) &&
          !(value instanceof Date && Number.isNaN(value.getTime()));
    if (!isKept) throw new TypeError(`Invalid parameters: ${name} is ${String(value)}; pass text or null`);
  }
}
