import { type ChildProcess, fork } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { connect } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import { logger, type TlsIdentity } from '@webkiln/runtime';
import { Authority, type Certificate } from '@webkiln/runtime/testing/certificates';
import { MountedIdentities } from '@webkiln/runtime/testing/mounted-identities';
import { call, closePeers } from './client/peers.ts';
import { definitionOf } from './methods.ts';
import { callerOf, connectTo, keys, service, startReplica, transports, until } from './testing/loopback.ts';

describe('transport', () => {
  let ours: Authority;
  let foreign: Authority;
  beforeAll(async () => {
    ours = await Authority.create();
    foreign = await Authority.create();
  });
  const identities = new MountedIdentities();
  afterEach(async () => {
    await closePeers();
    identities.release();
    jest.restoreAllMocks();
  });

  const identityOf = async (authority: Authority, name: string) => identities.mount(await authority.issue(name)).tls;
  const replicaOf = (tls: TlsIdentity) => startReplica({ 'projects.GetProject': async () => ({ etag: 'answered' }) }, { tls });
  const get = () => call('projects.GetProject', { project_id: 'p' }, callerOf());

  /** The serial number of the certificate that a new connection to the port gets. */
  async function serialAt(port: number, { cert, key, ca }: Certificate): Promise<string | undefined> {
    const socket = connect({ host: '127.0.0.1', port, cert, key, ca, servername: service, ALPNProtocols: ['h2'] });
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()?.serialNumber)).once('error', reject);
    return promise.finally(() => socket.destroy());
  }
  const serialOf = ({ cert }: Certificate) => new X509Certificate(cert).serialNumber;

  test.each(transports)('with the transport %s, processes with certificates of one authority call each other', async (transport) => {
    await using replica = await replicaOf(await identityOf(ours, service));
    await using _peers = connectTo(transport, [replica.port], { tls: await identityOf(ours, 'gateway') });
    await expect(get()).resolves.toMatchObject({ etag: 'answered' });
  });

  test.each([
    ['of another authority', async () => identityOf(foreign, 'gateway')],
    ['with the name of a process that is no caller of the service', async () => identityOf(ours, 'webhooks')],
  ])('a caller with a certificate %s is refused', async (_what, identity) => {
    await using replica = await replicaOf(await identityOf(ours, service));
    await using _peers = connectTo('carried', [replica.port], { tls: await identity() });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([
    ['without a certificate', () => grpc.credentials.createSsl(Buffer.from(ours.cert))],
    ['without TLS', () => grpc.credentials.createInsecure()],
  ])('a caller %s is refused, for a health check too', async (_what, credentials) => {
    await using replica = await replicaOf(await identityOf(ours, service));
    const options = { 'grpc.ssl_target_name_override': service };
    const client = new grpc.Client(`127.0.0.1:${replica.port}`, credentials(), options);
    const { Check } = definitionOf('grpc.health.v1.Health') as Record<string, grpc.MethodDefinition<object, object>>;
    const error = await new Promise<grpc.ServiceError | null>((resolve) =>
      client.makeUnaryRequest(Check?.path ?? '', () => Buffer.alloc(0), String, {}, resolve),
    );
    client.close();
    expect(error?.code).toBe(grpc.status.UNAVAILABLE);
  });

  test.each([
    ['with the name of another service', async () => identityOf(ours, 'webhooks')],
    ['of another authority', async () => identityOf(foreign, service)],
  ])('a replica with a certificate %s gets no call', async (_what, identity) => {
    let calls = 0;
    await using replica = await startReplica({ 'projects.GetProject': async () => ({ etag: String(++calls) }) }, { tls: await identity() });
    await using _peers = connectTo('carried', [replica.port], { tls: await identityOf(ours, 'gateway') });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
    expect(calls).toBe(0);
  });

  test('new files are used by new connections while calls go on without a failure; broken ones are not, and are reported', async () => {
    const caller = await ours.issue('gateway');
    const server = identities.mount(await ours.issue(service));
    await using replica = await replicaOf(server.tls);
    await using _peers = connectTo('carried', [replica.port], { tls: identities.mount(caller).tls });
    const outcomes: string[] = [];
    let isOver = false;
    const calling = (async () => {
      while (!isOver) outcomes.push(await get().then(({ etag }) => etag ?? '', String));
    })();
    const shows = async (serial: string) => {
      while ((await serialAt(replica.port, caller)) !== serial);
    };
    const [second, third] = [await ours.issue(service), await ours.issue(service)];
    server.mount.replace(second);
    await shows(serialOf(second));

    const reported = jest.spyOn(logger, 'error');
    server.mount.replace({ ...third, key: (await ours.issue(service)).key });
    await until(() => reported.mock.calls.length > 0);
    expect(await serialAt(replica.port, caller)).toBe(serialOf(second));

    server.mount.replace(third);
    await shows(serialOf(third));
    const before = outcomes.length;
    await until(() => outcomes.length > before + 10);
    isOver = true;
    await calling;
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
  });

  test('a caller connects with its new certificate', async () => {
    await using replica = await replicaOf(await identityOf(ours, service));
    const { mount, tls } = identities.mount(await ours.issue('webhooks'));
    const peers = connectTo('carried', [replica.port], { tls });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
    const changed = new Promise<void>((resolve) => tls.once('change', resolve));
    mount.replace(await ours.issue('gateway'));
    await changed;
    await peers[Symbol.asyncDispose]();
    connectTo('carried', [replica.port], { tls });
    await expect(get()).resolves.toMatchObject({ etag: 'answered' });
  });
});

describe('trace', () => {
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
});
