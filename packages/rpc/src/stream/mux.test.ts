import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Calls, Calls__Output as Frames } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import { call } from '../client/peers.ts';
import type { MethodName } from '../methods.ts';
import { nonceHeader, Signer } from '../principal/credentials.ts';
import { definitionOf, methodTable } from '../protos.ts';
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
      const payload = methodTable.get(method)?.encodeRequest({ project_id: 'p' });
      stream.write({ calls: [{ n, method, deadline_ms, principal: { ...principal, permissions: [...principal.permissions] }, payload }] });
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
