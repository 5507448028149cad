import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { call } from './client/peers.ts';
import { callerOf, connectTo, keys, transports } from './testing/loopback.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const [server, client] = [2, 3];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const rootId = 'b7ad6b7169203331';

/** A trace collector: OTLP over HTTP, as JSON. */
async function collector() {
  const spans: Span[] = [];
  const receiver = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  return { spans, endpoint, [Symbol.asyncDispose]: async () => void receiver.close() };
}

async function startTraced(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(path.join(__dirname, 'testing/traced-service.ts'), args, { env: { ...process.env, LOG_LEVEL: 'silent', ...env } });
  const [{ ports }] = (await once(child, 'message')) as [{ ports: { grpc: number } }];
  return { child, port: ports.grpc };
}

async function stop({ child }: { child: ChildProcess }): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

test.each(transports)('one trace follows a call from process to process (%s)', async (transport) => {
  await using received = await collector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: received.endpoint, RPC_TRANSPORT: transport };
  const identity = await startTraced(env, 'identity', keys.privateKey, keys.publicKey);
  const projects = await startTraced(env, 'projects-templates', keys.privateKey, keys.publicKey, `127.0.0.1:${identity.port}`);
  {
    await using _peers = connectTo(transport, [projects.port]);
    const { etag } = await call('projects.GetProject', { project_id: 'p' }, callerOf({ traceparent: `00-${traceId}-${rootId}-01` }));
    expect(etag).toBe('true');
    // No process exports a trace without the sampled flag.
    await call('projects.GetProject', { project_id: 'p' }, callerOf({ traceparent: `00-${traceId.replaceAll('0', '1')}-${rootId}-00` }));
  }
  await stop(projects);
  await stop(identity);
  const serving = received.spans.find(({ name, kind }) => name === 'projects.GetProject' && kind === server);
  const calling = received.spans.find(({ name, kind }) => name === 'identity.HasAccount' && kind === client);
  const served = received.spans.find(({ name, kind }) => name === 'identity.HasAccount' && kind === server);
  expect(serving).toMatchObject({ traceId, parentSpanId: rootId });
  expect(calling).toMatchObject({ traceId, parentSpanId: serving?.spanId });
  expect(served).toMatchObject({ traceId, parentSpanId: calling?.spanId });
  expect(received.spans).toHaveLength(3);
});
