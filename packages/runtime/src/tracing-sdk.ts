import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-node';
import { tracing } from './tracing.ts';

interface TracingOptions {
  readonly service: string;
  /** Base URL of an OTLP/HTTP receiver. */
  readonly endpoint: string;
  /** The sampled share of the traces that start here, 0 to 1; other traces keep their sampling decision. */
  readonly share: number;
}

/** Starts tracing and exporting. Loaded only if tracing is on. Returns a function that flushes and stops. */
export function startTracing({ service, endpoint, share }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  tracing.enabled = true;
  return async () => {
    tracing.enabled = false;
    await provider.shutdown();
  };
}
