import { status } from '@grpc/grpc-js';
import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { maskedFields } from '../server/dispatch.ts';
import { callerOf, connectTo, operatorOf, startReplica, transports, until } from '../testing/loopback.ts';
import { errorToResult, failedResult, resultToError } from '../wire.ts';
import { call, callForReply } from './peers.ts';

const roundingMs = 2;

describe.each(transports)('a call (%s)', (transport) => {
  test('gets its own reply, in whatever order replies arrive', async () => {
    const answers = new Map<string, () => void>();
    await using replica = await startReplica({
      'projects.GetProject': async ({ project_id }) => {
        await new Promise<void>((answer) => answers.set(project_id, answer));
        return { etag: project_id };
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const asked = new Map(['a', 'b', 'c'].map((id) => [id, call('projects.GetProject', { project_id: id }, callerOf())]));
    await until(() => answers.size === 3);
    for (const id of ['c', 'a', 'b']) {
      answers.get(id)?.();
      expect(await asked.get(id)).toMatchObject({ etag: id });
    }
  });

  test('delivers the principal and all headers to the handler', async () => {
    const seen: IncomingCaller[] = [];
    let receivedAt = 0;
    await using replica = await startReplica({
      'projects.CreateProject': async (_request, caller) => {
        receivedAt = Date.now();
        seen.push(caller);
        return {};
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const caller = callerOf({
      principal: { ...callerOf().principal, scopes: ['mcp'] },
      idempotency: { id: 'i', body: 'b', explicit: true },
      ifMatch: '"r1", "ü"',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    const askedAt = Date.now();
    await call('projects.CreateProject', { client_email: 'a@b.test', name: 'n' }, caller);
    const { principal, requestId, idempotency, ifMatch, traceparent, deadlineAt } = seen[0] as IncomingCaller;
    expect({ principal, requestId, idempotency, ifMatch, traceparent, deadlineAt: expect.any(Number) }).toEqual({
      ...caller,
      deadlineAt: expect.any(Number),
    });
    // The wire carries the remaining time, so the time in transit is added.
    expect(deadlineAt).toBeGreaterThanOrEqual(caller.deadlineAt - roundingMs);
    expect(deadlineAt).toBeLessThanOrEqual(caller.deadlineAt + (receivedAt - askedAt) + roundingMs);
  });

  test('delivers null as absent and proto defaults unchanged', async () => {
    const seen: object[] = [];
    await using replica = await startReplica({
      'projects.UpdateProject': async (request) => {
        seen.push(request);
        return { project: { id: 'p', description: null, tags: [], starred: false }, etag: null };
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const reply = await call('projects.UpdateProject', { project_id: 'p', name: null, starred: false, update_mask: ['name'] }, callerOf());
    expect(seen).toEqual([{ project_id: 'p', tags: [], starred: false, update_mask: ['name'] }]);
    expect(reply.project).toMatchObject({ id: 'p', name: '', tags: [], starred: false });
    expect(Object.keys(reply.project ?? {})).not.toContain('description');
    expect(reply.etag).toBe('');
  });

  test('rejects with the error that the use case throws, with its code and details', async () => {
    const details = [{ path: 'name', message: 'must not be “größer” than 200' }];
    await using replica = await startReplica({
      'projects.GetProject': () => Promise.reject(new AppError('project_not_found')),
      'projects.CreateProject': () => Promise.reject(new AppError('validation_failed', details)),
    });
    await using _peers = connectTo(transport, [replica.port]);
    await expect(call('projects.GetProject', { project_id: 'p' }, callerOf())).rejects.toEqual(new AppError('project_not_found'));
    const refused = await call('projects.CreateProject', { client_email: '', name: '' }, callerOf()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: 'validation_failed', details });
  });

  test('rejects with `internal` for an unexpected error, without its message', async () => {
    await using replica = await startReplica({ 'projects.GetProject': () => Promise.reject(new Error('the password is hunter2')) });
    await using _peers = connectTo(transport, [replica.port]);
    const error = (await call('projects.GetProject', { project_id: 'p' }, callerOf()).catch((thrown: unknown) => thrown)) as AppError;
    expect(error.code).toBe('internal');
    expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain('hunter2');
  });

  test('may have a request or reply of 40 MB, and later calls still work', async () => {
    const content = Buffer.alloc(40 * 1024 * 1024, 'webkiln');
    await using replica = await startReplica({
      'projects.WriteDraft': async ({ files }) => ({ files: files.map(({ path, content: sent }) => ({ path, size: sent.length })) }),
      'projects.GetProjectFile': async () => ({ content }),
      'projects.GetProject': async () => ({}),
    });
    await using _peers = connectTo(transport, [replica.port]);
    const { files } = await call('projects.WriteDraft', { project_id: 'p', files: [{ path: 'a', content }] }, operatorOf());
    expect(files).toMatchObject([{ path: 'a', size: content.length }]);
    const reply = await call('projects.GetProjectFile', { project_id: 'p', path: 'a' }, callerOf());
    expect(content.equals(reply.content)).toBe(true);
    await call('projects.GetProject', { project_id: 'p' }, callerOf());
  });

  test('returns `replayed` for the stored reply of an earlier attempt', async () => {
    await using replica = await startReplica(
      { 'projects.CreateProject': async () => ({ etag: 'e' }) },
      { interceptor: async (_method, { idempotency }, run) => ({ bytes: await run(), replayed: idempotency?.id === 'again' }) },
    );
    await using _peers = connectTo(transport, [replica.port]);
    const attempt = (id: string) =>
      callForReply('projects.CreateProject', { client_email: '', name: '' }, callerOf({ idempotency: { id, body: '', explicit: true } }));
    expect(await attempt('first')).toMatchObject({ replayed: false, reply: { etag: 'e' } });
    expect(await attempt('again')).toMatchObject({ replayed: true, reply: { etag: 'e' } });
  });
});

test('a service without a use case for one of its methods does not start', async () => {
  await expect(startReplica({}, { useCases: [] })).rejects.toThrow('projects.GetProject');
});

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

test('the mask selects the fields: a named field that is absent becomes null, a list stays as it is', () => {
  const request = { project_id: 'p', name: 'n', starred: false, tags: [], update_mask: ['starred', 'description', 'tags'] };
  expect(maskedFields(request)).toEqual({ starred: false, description: null, tags: [] });
});

test.each(['__proto__', 'constructor', 'toString', 'update_mask'])('the name %s in the mask reads nothing from the prototype', (name) => {
  const fields = maskedFields<Record<string, unknown>>({ update_mask: [name] });
  expect(Object.values(fields).every((value) => value === null)).toBe(true);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
});

test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.INTERNAL, status.UNKNOWN, status.ABORTED])(
  'gRPC status %s without a code of a service is a failure of transport: `unavailable`',
  (code) => expect(resultToError(failedResult(code, 'RST_STREAM'), 'projects.GetProject').code).toBe('unavailable'),
);

test.each([status.UNIMPLEMENTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED])(
  'gRPC status %s is our own mistake: `internal`',
  (code) => {
    expect(resultToError(failedResult(code, 'no such method'), 'projects.GetProject').code).toBe('internal');
  },
);

test('a service that fails by itself is `internal`, whatever the transport', () => {
  expect(resultToError(errorToResult(new AppError('internal')), 'projects.GetProject').code).toBe('internal');
});
