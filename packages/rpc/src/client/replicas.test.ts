import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as grpc from '@grpc/grpc-js';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { definitionOf } from '../methods.ts';
import { callerOf, connectTo, operatorOf, service, startReplica, transports, until } from '../testing/loopback.ts';
import { ReplicaProcess } from '../testing/replica-process.ts';
import { call, peerState } from './peers.ts';

describe.each(transports)('with the transport %s', (transport) => {
  const get = (project_id: string) => call('projects.GetProject', { project_id }, callerOf());
  /** Calls until each replica has received a call. */
  const reach = async (replicas: readonly ReplicaProcess[]) => {
    while (replicas.some(({ calls }) => calls.length === 0)) await get('p');
  };
  const remove = (project_id: string) => call('projects.DeleteProject', { project_id }, callerOf());

  test('a call that is not idempotent fails as unavailable when its replica is killed', async () => {
    await using one = await ReplicaProcess.start();
    await using other = await ReplicaProcess.start();
    await using _peers = connectTo(transport, [one.port, other.port]);
    await reach([one, other]);
    const asked = remove('wait');
    await until(() => one.calls.includes('wait') || other.calls.includes('wait'));
    const [holder, left] = one.calls.includes('wait') ? [one, other] : [other, one];
    holder.kill('SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await expect(remove('p')).resolves.toEqual({ deleted: false, id: left.pid });
    expect(left.calls).not.toContain('wait');
  });

  test('an idempotent call is retried once, on another replica', async () => {
    await using first = await ReplicaProcess.start();
    await using second = await ReplicaProcess.start();
    await using third = await ReplicaProcess.start();
    await using _peers = connectTo(transport, [first.port, second.port, third.port]);
    const replicas = [first, second, third];
    await reach(replicas);
    const holders = () => replicas.filter(({ calls }) => calls.includes('wait'));
    const asked = get('wait').catch((error: unknown) => error);
    await until(() => holders().length === 1);
    holders()[0]?.kill('SIGKILL');
    await until(() => holders().length === 2);
    for (const holder of holders()) holder.kill('SIGKILL');
    expect(await asked).toMatchObject({ code: 'unavailable' });
    expect(holders()).toHaveLength(2);
  });

  test('a call whose principal is being signed when the peers are closed fails as unavailable', async () => {
    await using replica = await startReplica({ 'projects.GetProject': async () => ({}) });
    const peers = connectTo(transport, [replica.port]);
    await get('p');
    const newcomer = callerOf({ principal: { ...callerOf().principal, credential_id: 'another key' } });
    const asked = call('projects.GetProject', { project_id: 'p' }, newcomer).catch((error: unknown) => error);
    await peers[Symbol.asyncDispose]();
    expect(await asked).toMatchObject({ code: 'unavailable' });
  });

  test('a replica that was killed is used again after its restart', async () => {
    const killed = await ReplicaProcess.start(await freePort());
    await using _peers = connectTo(transport, [killed.port]);
    await get('p');
    await killed[Symbol.asyncDispose]();
    await expect(get('p')).rejects.toMatchObject({ code: 'unavailable' });
    await using back = await ReplicaProcess.start(killed.port);
    await until(() => peerState(service) === 'ready');
    expect(await get('p')).toMatchObject({ etag: back.pid });
  });

  test('a replica that hangs is detected, and gets no further call', async () => {
    await using hung = await ReplicaProcess.start();
    await using left = await ReplicaProcess.start();
    await using _peers = connectTo(transport, [hung.port, left.port]);
    await reach([hung, left]);
    await hung.pause();
    const answered = (name: string) => Promise.all(Array.from({ length: 20 }, () => get(name).then(({ etag }) => etag)));
    // Those that were sent to it are repeated at the other once it is detected.
    expect(new Set(await answered('before'))).toEqual(new Set([left.pid]));
    expect(new Set(await answered('after'))).toEqual(new Set([left.pid]));
    hung.kill('SIGCONT');
    while (!hung.calls.includes('again')) await get('again');
    expect(hung.calls).not.toContain('after');
  });

  test('a call made before its service is reachable waits for it, at most 2 s', async () => {
    const port = await freePort();
    await using _peers = connectTo(transport, [port]);
    const [now, clock] = [Date.now(), jest.spyOn(Date, 'now')];
    clock.mockReturnValue(now);
    const early = get('p').catch((error: unknown) => error);
    clock.mockReturnValue(now + 2000);
    expect(await early).toMatchObject({ code: 'unavailable' });

    let over = false;
    const waiting = get('p').finally(() => {
      over = true;
    });
    clock.mockReturnValue(now + 3999);
    await pause(200); // The clock is looked at every 20 ms.
    expect(over).toBe(false);
    await using replica = await startReplica({ 'projects.GetProject': async () => ({ etag: 'there' }) }, { port });
    expect(await waiting).toMatchObject({ etag: 'there' });
    expect(replica.port).toBe(port);
    clock.mockRestore();
  });
});

/** The keepalive timeout: on a slow machine the stopped replica may be given up after it. */
const keepaliveTimeoutMs = 5000;

/** Bytes of buffers that are still referenced; runs the garbage collector first. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

describe.each(transports)('calls (%s)', (transport) => {
  test.each(['caller', 'service'])('are refused as overloaded above maxInFlight of the %s, and accepted again below it', async (side) => {
    const held: (() => void)[] = [];
    await using replica = await startReplica(
      {
        'projects.GetProject': async () => {
          await new Promise<void>((resolve) => held.push(resolve));
          return {};
        },
      },
      side === 'service' ? { maxInFlight: 10 } : {},
    );
    await using _peers = connectTo(transport, [replica.port], side === 'caller' ? { maxInFlight: 10 } : {});
    const ask = () => call('projects.GetProject', { project_id: 'p' }, callerOf());
    const first = Array.from({ length: 10 }, ask);
    await until(() => held.length === 10);
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    for (const answer of held.splice(0)) answer();
    await Promise.all(first);
    const again = ask();
    await until(() => held.length === 1);
    held[0]?.();
    await again;
  });

  test('to a stopped replica are held up to a limit, refused above it, and answered when the replica continues', async () => {
    await using replica = await ReplicaProcess.start();
    await using _peers = connectTo(transport, [replica.port]);
    const content = Buffer.alloc(900 * 1024);
    const ask = () => {
      return call('projects.WriteDraft', { project_id: 'p', files: [{ path: 'a', content }] }, operatorOf());
    };
    await ask();
    await replica.pause();
    const stoppedAt = performance.now();
    let refused = 0;
    const taken: Promise<unknown>[] = [];
    const before = heldBytes();
    for (let sent = 0; sent < 150; sent++) {
      const asked = ask().catch((error: { code: string }) => {
        if (error.code === 'overloaded') refused++;
        else if (error.code !== 'unavailable' || performance.now() - stoppedAt < keepaliveTimeoutMs) throw error;
      });
      taken.push(asked);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBeGreaterThan(50);
    expect(heldBytes() - before).toBeLessThan(200 * 1024 * 1024);
    replica.kill('SIGCONT');
    await Promise.all(taken);
  });
});

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
