import type { IncomingCaller } from './caller.ts';
import { call } from './peers.ts';
import { callerOf, connectTo, startReplica, transports, until } from './testing/loopback.ts';

const roundingMs = 2;
const never = new Promise<never>(() => undefined);

describe.each(transports)('a call that is %s', (transport) => {
  test('ends as unavailable at its deadline, and its handler is told', async () => {
    let signal: AbortSignal | undefined;
    await using replica = await startReplica({
      'projects.GetProject': (_request, incoming) => {
        signal = incoming.signal;
        return Promise.race([never, aborted(incoming)]);
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const deadlineAt = Date.now() + 500;
    await expect(call('projects.GetProject', { project_id: 'p' }, callerOf({ deadlineAt }))).rejects.toMatchObject({ code: 'unavailable' });
    expect(Date.now()).toBeGreaterThanOrEqual(deadlineAt - 5);
    await until(() => signal?.aborted === true);
  });

  test('is not begun when nobody waits for it any more', async () => {
    let begun = 0;
    await using replica = await startReplica({
      'projects.GetProject': async () => {
        begun++;
        return {};
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    await call('projects.GetProject', { project_id: 'p' }, callerOf());
    const late = callerOf({ deadlineAt: Date.now() - 1 });
    await expect(call('projects.GetProject', { project_id: 'p' }, late)).rejects.toMatchObject({ code: 'unavailable' });
    await call('projects.GetProject', { project_id: 'p' }, callerOf());
    expect(begun).toBe(2);
  });

  test('that the caller gives up ends at once, and its handler is told', async () => {
    let signal: AbortSignal | undefined;
    let giveUp = () => {};
    await using replica = await startReplica({
      'projects.GetProject': (_request, incoming) => {
        signal = incoming.signal;
        return Promise.race([never, aborted(incoming)]);
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const onCancel = (cancel: () => void) => {
      giveUp = cancel;
    };
    const asked = call('projects.GetProject', { project_id: 'p' }, callerOf({ onCancel }));
    await until(() => signal !== undefined);
    expect(signal?.aborted).toBe(false);
    giveUp();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => signal?.aborted === true);
  });

  test('gives up the calls that were made for it, and passes on who calls and how long he waits', async () => {
    const callers: IncomingCaller[] = [];
    let giveUp = () => {};
    await using replica = await startReplica({
      'projects.GetProject': async (_request, caller) => {
        callers.push(caller);
        await call('projects.ListProjects', {}, caller);
        return {};
      },
      'projects.ListProjects': (_request, caller) => {
        callers.push(caller);
        return Promise.race([never, aborted(caller)]);
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const onCancel = (cancel: () => void) => {
      giveUp = cancel;
    };
    const idempotency = { id: 'i', body: 'b', explicit: false };
    const askedAt = Date.now();
    const asked = call('projects.GetProject', { project_id: 'p' }, callerOf({ onCancel, idempotency, ifMatch: '*' }));
    await until(() => callers.length === 2);
    const calledAt = Date.now();
    const [first, second] = callers;
    expect(second).toMatchObject({ principal: first?.principal, requestId: first?.requestId });
    const [deadlineAt = 0, passedOn = 0] = [first?.deadlineAt, second?.deadlineAt];
    expect(passedOn).toBeGreaterThanOrEqual(deadlineAt - roundingMs);
    expect(passedOn).toBeLessThanOrEqual(deadlineAt + (calledAt - askedAt) + roundingMs);
    expect(first).toMatchObject({ idempotency, ifMatch: '*' });
    expect(second?.idempotency ?? second?.ifMatch).toBeUndefined();
    giveUp();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => second?.signal.aborted === true);
  });

  test('tells its handler when the caller is gone', async () => {
    let signal: AbortSignal | undefined;
    await using replica = await startReplica({
      'projects.GetProject': (_request, incoming) => {
        signal = incoming.signal;
        return Promise.race([never, aborted(incoming)]);
      },
    });
    const peers = connectTo(transport, [replica.port]);
    const asked = call('projects.GetProject', { project_id: 'p' }, callerOf());
    await until(() => signal !== undefined);
    const failed = expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await peers[Symbol.asyncDispose]();
    await failed;
    await until(() => signal?.aborted === true);
  });
});

/** Rejects when the caller gives up, so that the replica can drain at the test's end. */
async function aborted(caller: IncomingCaller): Promise<never> {
  throw await new Promise((resolve) => caller.onCancel?.(() => resolve(new Error('given up'))));
}
