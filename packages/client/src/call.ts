import type { MethodDescriptor } from "@quern/json-rpc/envelope";
import type { DeadlineOptions } from "./deadline.ts";
import type { QuernError } from "./quern-error.ts";

export interface CallOptions extends DeadlineOptions {
  /** Travels in an HTTP request of its own. By default only what may take long does: a page of results, a create that waits. */
  readonly alone?: boolean | undefined;
  /** The service may hold its answer back: it shares a batch only with others like it. By default so for `waitSeconds`. */
  readonly waits?: boolean | undefined;
  /** Size of the expected answer in bytes; calls share a batch while the sum stays below one megabyte. */
  readonly replyBytes?: number | undefined;
  /** Is never sent a second time unless it is certain that the first did not arrive. By default so for a create. */
  readonly once?: boolean | undefined;
  /** Once sent, it is seen through in spite of its signal, so that its answer is not lost. */
  readonly kept?: boolean | undefined;
}

/** A call on its way. */
export interface Call {
  readonly id: number;
  readonly descriptor: MethodDescriptor;
  /** The request as JSON text. */
  readonly text: string;
  readonly options: CallOptions;
  settled: boolean;
  sent: boolean;
  /** Told when the caller no longer waits while the call is under way. */
  onLeave?: (() => void) | undefined;
  succeed(result: unknown): void;
  fail(error: QuernError): void;
}
