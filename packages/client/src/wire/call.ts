import { encodeRequest, type MethodDescriptor } from "@quern/json-rpc/envelope";
import { type DeadlineOptions, startDeadline } from "./deadline.ts";
import { abortError, type QuernError } from "./quern-error.ts";

export interface CallOptions extends DeadlineOptions {
  /** Travels in an HTTP request of its own. By default only what may take long does: a page of results, a create that waits. */
  readonly alone?: boolean | undefined;
  /** The service may hold its answer back: it shares a batch only with others like it. By default so for `waitSeconds`. */
  readonly waits?: boolean | undefined;
  /** Size of the expected answer in bytes; calls share a batch while the sum stays below one megabyte. */
  readonly replyBytes?: number | undefined;
  /** Is never sent a second time unless it is certain that the first did not arrive. By default so for a method that is not repeatable. */
  readonly once?: boolean | undefined;
  /** Makes a call that is sent run to its end in spite of its signal. Called once the signal or the time limit has ended it for the caller. */
  readonly kept?: (() => void) | undefined;
  /** A browser sends it to its end also where the page is left meanwhile. For small calls. */
  readonly keepalive?: boolean | undefined;
}

/** A call on its way. */
export interface Call {
  readonly id: number;
  readonly descriptor: MethodDescriptor;
  /** The request as JSON text. */
  readonly text: string;
  readonly options: CallOptions;
  /** Whether the caller has its answer, or has left. */
  done: boolean;
  sent: boolean;
  /** Told when the caller leaves while the call is under way. */
  onLeave?: () => void;
  /** Gives the caller the result or the error; what comes later is ignored. */
  finish(error: QuernError | undefined, result?: unknown): void;
}

/** The promise of a call, and what finishes it; `send` gets the call unless its signal is aborted already. */
export function startCall<Result>(
  id: number,
  descriptor: MethodDescriptor,
  params: object,
  options: CallOptions,
  send: (call: Call) => void,
): Promise<Result> {
  const { queryRunId } = params as { readonly queryRunId?: string }; // Where the method has it.
  return new Promise((resolve, reject) => {
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
        else resolve(result as Result); // The service answers what its document says.
      },
    };
    const onStop = (reason: unknown, bySignal: boolean) => {
      if (call.sent) options.kept?.();
      if (bySignal && call.sent && options.kept) return;
      call.finish(abortError(reason, descriptor.name));
      call.onLeave?.();
    };
    end = startDeadline(options, onStop);
    if (!call.done) send(call);
  });
}
