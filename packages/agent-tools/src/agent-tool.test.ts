import { agentTools, operations, type SessionRole } from '@webkiln/contract';
import { callerFor, type Principal } from '@webkiln/messages';
import { tools } from './agent-tool.ts';

const principal: Principal = { kind: 'api_key', org_id: 'org', credential_id: 'key', permissions: ['read', 'write'] };
const as = (role: SessionRole) => callerFor({ ...principal, role }, { timeoutMs: 1000 });
const run = (name: string, role: SessionRole) => tools.get(name)?.run({ unknown: true }, as(role));

test.each(Object.entries(agentTools))('%s refuses exactly the roles that its operation refuses', async (name, { operation }) => {
  const isRead = operations[operation]?.permission === 'read';
  // A role that passes gets to its arguments, which are wrong.
  for (const role of ['owner', 'admin', 'developer'] as const) {
    await expect(run(name, role)).rejects.toMatchObject({ code: 'validation_failed' });
  }
  await expect(run(name, 'viewer')).rejects.toMatchObject({ code: isRead ? 'validation_failed' : 'role_missing' });
  const isForClients = operations[operation]?.roles?.includes('client' as never) ?? false;
  await expect(run(name, 'client')).rejects.toMatchObject({ code: isForClients ? 'validation_failed' : 'role_missing' });
});
