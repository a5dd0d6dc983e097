import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';
import type { Stoppable } from './lifecycle.ts';

/**
 * Traces (OpenTelemetry): off unless a collector's address is configured, and then the library is not even loaded. The only file that
 * knows it. A trace goes from process to process as a W3C `traceparent`: in an HTTP header, a header of a group's message,
 * a column of the outbox, a header of Temporal's calls.
 */
export type TraceContext = string;

export type SpanOptions = {
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** Where the span belongs; absent: under what is going on now; null: a trace of its own. */
  parent?: TraceContext | null | undefined;
  /** What else has led to it: the events of a group, the groups of a batch. */
  links?: readonly TraceContext[];
};

/** What a span may be told while it runs. */
export type RunningSpan = { set(attributes: Attributes): void };

type Tracing = {
  inSpan<T>(name: string, options: SpanOptions, work: (span: RunningSpan) => Promise<T>): Promise<T>;
  current(): TraceContext | null;
};

/** Of this process, as the library itself has it: a span is made deep inside of what knows nothing of traces. */
let tracing: Tracing | undefined;

const NO_SPAN: RunningSpan = { set: () => undefined };

/** More links than this say nothing more. */
const MAX_LINKS = 128;

/** Runs `work` within a span; without traces it only runs it. A failure is the span's too. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: RunningSpan) => Promise<T>): Promise<T> {
  return tracing ? tracing.inSpan(name, options, work) : work(NO_SPAN);
}

/** The place of what is going on now in its trace, to be forwarded; null where there is none. */
export function currentTraceContext(): TraceContext | null {
  return tracing ? tracing.current() : null;
}

/**
 * Starts sending the spans of this process to the collector at `endpoint` (OTLP over HTTP, JSON); undefined leaves traces off. How
 * many are sampled is the library's own `OTEL_TRACES_SAMPLER`. Its stop sends what waits.
 */
export async function startTracing(process: string, endpoint: string | undefined): Promise<Stoppable> {
  if (endpoint === undefined) return { name: 'traces', stop: async () => undefined };
  const api = await import('@opentelemetry/api');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `meterbook-${process}` }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  provider.register();
  tracing = tracingWith(api);
  return {
    name: 'traces',
    stop: async () => {
      tracing = undefined;
      await provider.shutdown();
    },
  };
}

type OpenTelemetry = typeof import('@opentelemetry/api');

function tracingWith({ context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }: OpenTelemetry): Tracing {
  const tracer = trace.getTracer('meterbook');
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
  };
  const remote = (from: TraceContext): Context => propagation.extract(ROOT_CONTEXT, { traceparent: from });
  const contextOf = (parent: TraceContext | null | undefined): Context => {
    if (parent === undefined) return context.active();
    return parent === null ? ROOT_CONTEXT : remote(parent);
  };

  async function run<T>(span: Span, work: (span: RunningSpan) => Promise<T>): Promise<T> {
    try {
      return await work({ set: (attributes) => void span.setAttributes(attributes) });
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    inSpan(name, { kind, attributes = {}, parent, links = [] }, work) {
      const linked = [...new Set(links)].slice(0, MAX_LINKS).flatMap((from) => {
        const found = trace.getSpanContext(remote(from));
        return found ? [{ context: found }] : [];
      });
      const spanKind: SpanKind = kind ? kinds[kind] : SpanKind.INTERNAL;
      return tracer.startActiveSpan(name, { kind: spanKind, attributes, links: linked }, contextOf(parent), (span) =>
        run(span, work),
      );
    },
    current() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent ?? null;
    },
  };
}
