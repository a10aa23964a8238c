import type { Interceptor } from "./transport.ts";

/** Span of OpenTelemetry, or any object of this shape. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): void;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** Tracer of OpenTelemetry, or any object of this shape: the client has no dependency on OpenTelemetry. */
export interface Tracer {
  startSpan(name: string, options?: { attributes?: Record<string, string | number | boolean> }): Span;
}

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const errorStatus = 2;

/**
 * Makes an interceptor that records a span for each HTTP exchange, with the names of its methods and its status.
 * @example createClient({ url, apiKey, interceptors: [spans(trace.getTracer("app"))] })
 */
export function spans(tracer: Tracer): Interceptor {
  return async (request, next) => {
    const { methods } = request;
    const attributes = { "rpc.method": methods.join(), "rpc.batch.size": methods.length };
    const span = tracer.startSpan("quern.http", { attributes });
    try {
      const reply = await next(request);
      span.setAttribute("http.response.status_code", reply.status);
      return reply;
    } catch (error) {
      span.recordException(error instanceof Error ? error : new Error(String(error)));
      span.setStatus({ code: errorStatus });
      throw error;
    } finally {
      span.end();
    }
  };
}
