import type { Interceptor } from "./transport.ts";

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

/**
 * An interceptor that gives a tracer a span for each HTTP exchange, with the methods that travel in it.
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
      span.setStatus({ code: failed });
      throw error;
    } finally {
      span.end();
    }
  };
}
