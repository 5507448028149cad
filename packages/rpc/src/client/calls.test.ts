import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from './caller.ts';
import { call, callForReply } from './peers.ts';
import { callerOf, connectTo, startReplica, transports, until } from './testing/loopback.ts';

const roundingMs = 2;

describe.each(transports)('a call that is %s', (transport) => {
  test('gets its own answer, whatever the order in which answers come', async () => {
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

  test('carries who calls and everything beside the request', async () => {
    const seen: IncomingCaller[] = [];
    let heardAt = 0;
    await using replica = await startReplica({
      'projects.CreateProject': async (_request, caller) => {
        heardAt = Date.now();
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
    // What is told is how long the caller still waits: the time on the way comes on top.
    expect(deadlineAt).toBeGreaterThanOrEqual(caller.deadlineAt - roundingMs);
    expect(deadlineAt).toBeLessThanOrEqual(caller.deadlineAt + (heardAt - askedAt) + roundingMs);
  });

  test('meets null as absent and defaults as they are', async () => {
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

  test('meets what the use case throws, with its code and details', async () => {
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

  test('learns nothing of what failed inside', async () => {
    await using replica = await startReplica({ 'projects.GetProject': () => Promise.reject(new Error('the password is hunter2')) });
    await using _peers = connectTo(transport, [replica.port]);
    const error = (await call('projects.GetProject', { project_id: 'p' }, callerOf()).catch((thrown: unknown) => thrown)) as AppError;
    expect(error.code).toBe('internal');
    expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain('hunter2');
  });

  test('may be of 40 MB, either way, and others go on after it', async () => {
    const content = Buffer.alloc(40 * 1024 * 1024, 'webkiln');
    await using replica = await startReplica({
      'projects.WriteDraft': async ({ files }) => ({ files: files.map(({ path, content: sent }) => ({ path, size: sent.length })) }),
      'projects.GetProjectFile': async () => ({ content }),
      'projects.GetProject': async () => ({}),
    });
    await using _peers = connectTo(transport, [replica.port]);
    const { files } = await call('projects.WriteDraft', { project_id: 'p', files: [{ path: 'a', content }] }, callerOf());
    expect(files).toMatchObject([{ path: 'a', size: content.length }]);
    const reply = await call('projects.GetProjectFile', { project_id: 'p', path: 'a' }, callerOf());
    expect(content.equals(reply.content)).toBe(true);
    await call('projects.GetProject', { project_id: 'p' }, callerOf());
  });

  test('is told when its reply is the one of an earlier attempt', async () => {
    await using replica = await startReplica(
      { 'projects.CreateProject': async () => ({ etag: 'e' }) },
      { around: async (_method, { idempotency }, run) => ({ bytes: await run(), replayed: idempotency?.id === 'again' }) },
    );
    await using _peers = connectTo(transport, [replica.port]);
    const attempt = (id: string) =>
      callForReply('projects.CreateProject', { client_email: '', name: '' }, callerOf({ idempotency: { id, body: '', explicit: true } }));
    expect(await attempt('first')).toMatchObject({ replayed: false, reply: { etag: 'e' } });
    expect(await attempt('again')).toMatchObject({ replayed: true, reply: { etag: 'e' } });
  });
});

test('a service that lacks a use case for one of its methods does not start', async () => {
  await expect(startReplica({}, { useCases: [] })).rejects.toThrow('projects.GetProject');
});
