import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  type StatusObject,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Calls, Calls__Output as Frames } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import { call } from '../client/peers.ts';
import { definitionOf, type MethodName, methodNamed } from '../methods.ts';
import { nonceHeader, Signer } from '../principal/principal.ts';
import { callerOf, connectTo, keys, operatorOf, service, startReplica, until } from '../testing/loopback.ts';

const carry = definitionOf('webkiln.carrier.v1.Carrier').Carry as MethodDefinition<Calls, unknown, unknown, Replies>;

/** A multiplexed stream without this package's client. */
async function openStream(port: number) {
  const { promise, resolve: introduced } = Promise.withResolvers<void>();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 });
  const stream = client.makeBidiStreamRequest(carry.path, carry.requestSerialize, carry.responseDeserialize, new Metadata());
  const { principal } = callerOf();
  stream.on('metadata', async (greeting: Metadata) => {
    const nonce = String(greeting.get(nonceHeader)[0]);
    stream.write({ proof: await new Signer('test', keys.privateKey).for(service).proof(nonce) });
    introduced();
  });
  await promise;
  return {
    stream,
    send(n: number, method: MethodName, deadline_ms: number) {
      const payload = methodNamed(method)?.encodeRequest({ project_id: 'p' });
      stream.write({
        calls: [{ n, method, deadline_ms, principal: { ...principal, permissions: [...principal.permissions], scopes: [] }, payload }],
      });
    },
    async [Symbol.asyncDispose]() {
      stream.resume();
      stream.end();
      await until(() => stream.closed);
      client.close();
    },
  };
}

test('a caller that reads no replies is served up to a limit, and gets every reply when it reads again', async () => {
  const content = Buffer.alloc(1024 * 1024);
  let served = 0;
  await using replica = await startReplica({
    'projects.GetProjectFile': async () => {
      served++;
      return { content };
    },
  });
  await using carried = await openStream(replica.port);
  const calls = 200;
  const answered = new Set<number>();
  carried.stream.on('data', ({ replies }: Replies) => {
    for (const { n, payload } of replies) if (payload.length > content.length) answered.add(n);
    if (answered.size === 1) carried.stream.pause();
  });
  let sent = 0;
  const send = () => carried.send(++sent, 'projects.GetProjectFile', 600_000);
  // One by one: the service serves all frames that arrive in one event-loop tick before it pauses.
  do send();
  while ((await comes(() => served === sent)) && sent < calls / 2);
  expect(served).toBeLessThan(calls / 2);
  while (sent < calls) send();
  carried.stream.resume();
  await until(() => answered.size === calls);
});

test('a handler is aborted at the deadline even if its caller sends no cancellation', async () => {
  let signal: AbortSignal | undefined;
  await using replica = await startReplica({
    'projects.GetProject': async (_request, caller) => {
      signal = caller.signal;
      await new Promise((resolve) => caller.signal.addEventListener('abort', resolve));
      return {};
    },
  });
  await using carried = await openStream(replica.port);
  carried.stream.resume();
  carried.send(1, 'projects.GetProject', 200);
  await until(() => signal?.aborted === true);
});

test('requests above 1 MB are sent as unary calls, so that they do not delay others on the stream', async () => {
  const carried: string[] = [];
  const unary: string[] = [];
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(definitionOf('webkiln.carrier.v1.Carrier') as ServiceDefinition, {
    Carry(stream: ServerDuplexStream<Frames, object>) {
      stream.sendMetadata(new Metadata());
      stream.on('data', ({ calls }: Frames) => {
        carried.push(...calls.map(({ method }) => method));
        stream.write({ replies: calls.map(({ n }) => ({ n })) });
      });
    },
  });
  server.addService(definitionOf('webkiln.projects.v1.Projects') as ServiceDefinition, {
    WriteDraft(_call: unknown, answer: sendUnaryData<object>) {
      unary.push('projects.WriteDraft');
      answer(null, {});
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  await using _peers = connectTo('carried', [port]);
  const write = (bytes: number) =>
    call('projects.WriteDraft', { project_id: 'p', files: [{ path: 'a', content: Buffer.alloc(bytes) }] }, operatorOf());
  await write(1024 * 1024 - 1024);
  await write(1024 * 1024);
  expect({ carried, unary }).toEqual({ carried: ['projects.WriteDraft'], unary: ['projects.WriteDraft'] });
  server.forceShutdown();
});

/** Waits up to a second: a service that has stopped reading does not announce it. */
async function comes(holds: () => boolean): Promise<boolean> {
  const until = performance.now() + 1000;
  while (!holds() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 1));
  return holds();
}

const runs = { 'projects.GetProject': async () => ({ etag: 'served' }) } as const;
const never = 600_000;

/** Streams of one host that are greeted and do not prove themselves. */
class SilentStreams implements Disposable {
  readonly #client: Client;

  constructor(port: number) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  /** Opens a stream; `greeted` is false if it was refused. */
  async open(): Promise<{ stream: ClientDuplexStream<Calls, Replies>; greeted: boolean; ended: Promise<StatusObject> }> {
    const stream = this.#client.makeBidiStreamRequest(carry.path, carry.requestSerialize, carry.responseDeserialize, new Metadata());
    stream.on('error', () => undefined).resume();
    const ended = new Promise<StatusObject>((resolve) => stream.once('status', resolve));
    const greeting = new Promise<boolean>((resolve) => stream.once('metadata', (metadata) => resolve(metadata.get('nonce').length > 0)));
    return { stream, ended, greeted: await Promise.race([greeting, ended.then(() => false)]) };
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

const served = () => call('projects.GetProject', { project_id: 'p' }, callerOf());

test.each([
  ['says nothing', undefined],
  ['sends a forged proof', 'forged'],
])('a stream that %s is ended in time, and proven ones stay', async (_, proof) => {
  await using replica = await startReplica(runs, { unproven: { timeoutMs: 1000, maxPerHost: 64 } });
  await using _peers = connectTo('carried', [replica.port]);
  await served();
  using silent = new SilentStreams(replica.port);
  const { stream, ended } = await silent.open();
  if (proof !== undefined) stream.write({ proof });
  expect((await ended).code).toBe(status.UNAUTHENTICATED);
  // Its stream is older than the one that was ended.
  expect(await served()).toMatchObject({ etag: 'served' });
});

test('one host holds few unproven streams open; proven and ended ones do not count', async () => {
  const maxPerHost = 3;
  await using replica = await startReplica(runs, { unproven: { timeoutMs: never, maxPerHost } });
  await using _peers = connectTo('carried', [replica.port]);
  await served();
  using silent = new SilentStreams(replica.port);
  const open = [];
  for (let each = 0; each < maxPerHost; each++) open.push(await silent.open());
  expect(open.map(({ greeted }) => greeted)).toEqual([true, true, true]);
  const refused = await silent.open();
  expect([refused.greeted, (await refused.ended).code]).toEqual([false, status.RESOURCE_EXHAUSTED]);
  expect(await served()).toMatchObject({ etag: 'served' });
  for (const { stream } of open) stream.cancel();
  await Promise.all(open.map(({ ended }) => ended));
  let again = await silent.open();
  while (!again.greeted) again = await silent.open();
  again.stream.cancel();
});
