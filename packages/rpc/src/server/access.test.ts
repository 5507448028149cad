import type { Principal } from '@webkiln/messages';
import { call } from '../client/peers.ts';
import { callerOf, connectTo, startReplica, transports } from '../testing/loopback.ts';

const runs = {
  'projects.GetProject': async () => ({ etag: 'served' }),
  'projects.DeleteProject': async () => ({ id: 'served' }),
  'projects.WriteDraft': async () => ({ files: [] }),
} as const;

const session = (role?: Principal['role']): Principal => ({
  kind: 'session',
  org_id: 'org',
  credential_id: 'session',
  account_id: 'account',
  permissions: ['read'],
  role,
});
const as = (principal: Principal) => callerOf({ principal });

describe.each(transports)('a call (%s)', (transport) => {
  test('with a session may do what the role allows, whichever process calls', async () => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port]);
    expect(await call('projects.DeleteProject', { project_id: 'p' }, as(session('developer')))).toMatchObject({ id: 'served' });
    for (const role of ['viewer', 'client', undefined] as const) {
      await expect(call('projects.DeleteProject', { project_id: 'p' }, as(session(role)))).rejects.toMatchObject({ code: 'role_missing' });
    }
    expect(await call('projects.GetProject', { project_id: 'p' }, as(session('client')))).toMatchObject({ etag: 'served' });
  });

  test('with a session may not call an RPC without an API operation, whatever the role', async () => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port]);
    await expect(call('projects.WriteDraft', { project_id: 'p', files: [] }, as(session('owner')))).rejects.toMatchObject({
      code: 'role_missing',
    });
  });

  test('tells the service the account of the session', async () => {
    const seen: Principal[] = [];
    await using replica = await startReplica({
      'projects.GetProject': async (_request, { principal }) => {
        seen.push(principal);
        return {};
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const client = { ...session('client'), user_id: 'user', client_id: 'client' };
    await call('projects.GetProject', { project_id: 'p' }, as(client));
    expect(seen).toEqual([expect.objectContaining(client)]);
  });
});
