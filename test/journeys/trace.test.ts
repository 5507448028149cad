import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agency, eventually } from '../harness/agency.ts';
import { startPlatform } from '../harness/test-platform.ts';

interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly name: string;
}

/** The JSON body that a collector receives over OTLP/HTTP. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly { traceId: string; name: string }[] }[];
  }[];
}

const spansIn = ({ resourceSpans }: Export): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ spans }) => spans.map(({ traceId, name }) => ({ service, traceId, name })));
  });

test('one trace continues the caller’s and covers the gateway, gRPC, MongoDB, NATS and the consumer', async () => {
  const spans: Span[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString())));
        response.end('{}');
      });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  await using platform = await startPlatform({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  const { api } = await agency(platform.facts);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  (await api.post('/clients', { email: 'traced@example.test' }, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })).expect(201);

  await eventually(() => {
    const steps = spans.filter((span) => span.traceId === traceId).map(({ service, name }) => `${service}: ${name}`);
    expect(steps).toEqual(
      expect.arrayContaining([
        'gateway: POST /api/v1',
        'gateway: clients.CreateClient',
        'clients-plans: clients.CreateClient',
        expect.stringMatching(/^clients-plans: .*insert/),
        expect.stringMatching(/^clients-plans: publish/),
        'clients-plans: handle client.created',
      ]),
    );
  });
  collector.close();
});
