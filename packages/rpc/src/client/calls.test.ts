import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { callerOf, connectTo, operatorOf, startReplica, transports, until } from '../testing/loopback.ts';
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
