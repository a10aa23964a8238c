/** A span as OpenTelemetry has it; any object of this shape will do. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): void;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of an OpenTelemetry tracer the client uses, so that one can be given without a dependency on it. */
export interface Tracer {
  startSpan(name: string, options?: { attributes?: Record<string, string | number | boolean> }): Span;
}

const failed = 2;

/** Runs `work` inside a span; without a tracer it just runs it. */
export async function traced<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: Record<string, string | number | boolean>,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  const span = tracer?.startSpan(name, { attributes });
  try {
    return await work(span);
  } catch (error) {
    span?.recordException(error instanceof Error ? error : new Error(String(error)));
    span?.setStatus({ code: failed });
    throw error;
  } finally {
    span?.end();
  }
}
