import type { IncomingCaller } from '@webkiln/messages';
import { callerOf, connectTo, startReplica, transports, until } from '../testing/loopback.ts';
import { call } from './peers.ts';

const roundingMs = 2;
const never = new Promise<never>(() => undefined);

describe.each(transports)('a call (%s)', (transport) => {
  test('fails as unavailable at its deadline and aborts its handler', async () => {
    let signal: AbortSignal | undefined;
    await using replica = await startReplica({
      'projects.GetProject': (_request, incoming) => {
        signal = incoming.signal;
        return Promise.race([never, aborted(incoming)]);
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    // On a slow machine a deadline may pass before the handler begins; the next call then has longer.
    for (let timeoutMs = 500; signal === undefined; timeoutMs *= 2) {
      const deadlineAt = Date.now() + timeoutMs;
      const asked = call('projects.GetProject', { project_id: 'p' }, callerOf({ deadlineAt }));
      await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
      expect(Date.now()).toBeGreaterThanOrEqual(deadlineAt - 5);
    }
    await until(() => signal?.aborted === true);
  });

  test('does not start after its deadline', async () => {
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

  test('fails at once when the caller cancels it, and aborts its handler', async () => {
    let signal: AbortSignal | undefined;
    let cancelCall = () => {};
    await using replica = await startReplica({
      'projects.GetProject': (_request, incoming) => {
        signal = incoming.signal;
        return Promise.race([never, aborted(incoming)]);
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const onCancel = (cancel: () => void) => {
      cancelCall = cancel;
    };
    const asked = call('projects.GetProject', { project_id: 'p' }, callerOf({ onCancel }));
    await until(() => signal !== undefined);
    expect(signal?.aborted).toBe(false);
    cancelCall();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => signal?.aborted === true);
  });

  test('passes principal and deadline on to nested calls, and cancels them with itself', async () => {
    const callers: IncomingCaller[] = [];
    let cancelCall = () => {};
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
      cancelCall = cancel;
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
    cancelCall();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => second?.signal.aborted === true);
  });

  test('aborts its handler when the caller disconnects', async () => {
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

/** Rejects when the call is cancelled, so that the replica can drain at the end of the test. */
async function aborted(caller: IncomingCaller): Promise<never> {
  throw await new Promise((resolve) => caller.onCancel?.(() => resolve(new Error('cancelled'))));
}
