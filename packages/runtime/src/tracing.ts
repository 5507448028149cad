import { type Attributes, type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export interface SpanOptions {
  readonly kind?: keyof typeof kinds;
  readonly attributes?: Attributes;
  /** W3C traceparent of the remote parent span; default: the active span of this process. */
  readonly parent?: string | undefined;
}

/** True if tracing is on. */
export const tracing = { enabled: false };

/** Runs `work` in a span; without tracing it only runs it. An exception marks the span as failed. */
export function withSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracing.enabled ? spanned(name, options, work) : work();
}

function spanned<T>(name: string, { kind = 'internal', attributes, parent }: SpanOptions, work: () => Promise<T>): Promise<T> {
  const within = parent === undefined ? context.active() : remote(parent);
  return trace.getTracer('webkiln').startActiveSpan(name, { kind: kinds[kind], attributes }, within, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

const traceparentForm = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/;

function remote(traceparent: string): Context {
  const [, traceId, spanId, flags] = traceparentForm.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

/** The active span as a W3C traceparent for a call or an event; undefined without tracing. */
export function currentTraceparent(): string | undefined {
  const span = tracing.enabled ? trace.getActiveSpan() : undefined;
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
