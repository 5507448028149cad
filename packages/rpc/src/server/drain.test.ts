import * as grpc from '@grpc/grpc-js';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { call, peerState } from '../client/peers.ts';
import { definitionOf } from '../protos.ts';
import { callerOf, connectTo, service, startReplica, transports, until } from '../testing/loopback.ts';

describe.each(transports)('with the transport %s', (transport) => {
  test('a rolling restart under load loses no call', async () => {
    const runs = {
      'projects.DeleteProject': async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return {};
      },
    };
    let replicas = [await startReplica(runs, { port: await freePort() }), await startReplica(runs, { port: await freePort() })];
    const ports = replicas.map(({ port }) => port);
    await using _peers = connectTo(transport, ports);
    let loading = true;
    let answered = 0;
    const load = Array.from({ length: 50 }, async () => {
      while (loading) {
        await call('projects.DeleteProject', { project_id: 'p' }, callerOf());
        answered++;
      }
    });
    for (const [index, port] of ports.entries()) {
      const before = answered;
      await until(() => answered > before + 200);
      await replicas[index]?.drain();
      const fresh = await startReplica(runs, { port });
      replicas = replicas.with(index, fresh);
    }
    loading = false;
    await Promise.all(load);
    await Promise.all(replicas.map((replica) => replica.drain()));
  });

  test('a call made while the only replica restarts waits for the new one', async () => {
    const old = await startReplica({ 'projects.DeleteProject': async () => ({ id: 'old' }) }, { port: await freePort() });
    await using _peers = connectTo(transport, [old.port]);
    await call('projects.DeleteProject', { project_id: 'p' }, callerOf());
    await old.drain();
    await until(() => peerState(service) === 'connecting');
    // The 2 s cannot pass: the clock stands still until the new replica is up.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const asked = call('projects.DeleteProject', { project_id: 'p' }, callerOf());
    await using fresh = await startReplica({ 'projects.DeleteProject': async () => ({ id: 'new' }) }, { port: old.port });
    expect(await asked).toEqual({ deleted: false, id: 'new' });
    expect(fresh.port).toBe(old.port);
    clock.mockRestore();
  });
});

test('the standard health service reports SERVING, and NOT_SERVING during a drain, without a principal', async () => {
  let finish: (() => void) | undefined;
  await using replica = await startReplica({
    'projects.GetProject': async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return {};
    },
  });
  const Health = grpc.makeClientConstructor(definitionOf('grpc.health.v1.Health') as grpc.ServiceDefinition, 'Health');
  const probe = new Health(`127.0.0.1:${replica.port}`, grpc.credentials.createInsecure());
  const check = () =>
    new Promise<string>((resolve, reject) =>
      probe.Check?.({ service: '' }, (error: Error | null, reply: { status: string }) => (error ? reject(error) : resolve(reply.status))),
    );
  expect(await check()).toBe('SERVING');
  await using _peers = connectTo('carried', [replica.port]);
  const asked = call('projects.GetProject', { project_id: 'p' }, callerOf());
  await until(() => finish !== undefined);
  const drained = replica.drain();
  const states = [await check()];
  finish?.();
  await asked;
  probe.close();
  await drained;
  expect(states).toEqual(['NOT_SERVING']);
});
