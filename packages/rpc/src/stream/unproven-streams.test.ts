import { Client, type ClientDuplexStream, credentials, Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Calls } from '../../gen/webkiln/carrier/v1/Calls.ts';
import type { Replies__Output as Replies } from '../../gen/webkiln/carrier/v1/Replies.ts';
import { call } from '../client/peers.ts';
import { definitionOf } from '../protos.ts';
import { callerOf, connectTo, startReplica } from '../testing/loopback.ts';

const carry = definitionOf('webkiln.carrier.v1.Carrier').Carry as MethodDefinition<Calls, unknown, unknown, Replies>;
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
