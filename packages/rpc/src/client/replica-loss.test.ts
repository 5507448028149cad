import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { callerOf, connectTo, service, startReplica, transports, until } from '../testing/loopback.ts';
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
