import { operatorPrincipal } from '@webkiln/messages';
import { callerOf, connectTo, startReplica } from '@webkiln/rpc/testing';
import { withUse } from './with-use.ts';

const limitOf = (name: string) => ({ name, unit: name, limit: 10, used: null });

test('what a service counts for the organization is shown; the use of quotas whose service does not answer is unknown', async () => {
  const asked: string[] = [];
  await using replica = await startReplica({
    'maintenance.CountUse': async (_request, { principal }) => {
      asked.push(`${principal.kind} ${principal.credential_id} ${principal.org_id}`);
      return { uses: [{ name: 'projects', used: 0 }] };
    },
  });
  await using _peers = connectTo('carried', [replica.port]);
  const { limits } = await withUse({ limits: [limitOf('projects'), limitOf('keys')] }, callerOf({ principal: operatorPrincipal('org') }));
  expect(limits).toEqual([{ ...limitOf('projects'), used: 0 }, limitOf('keys')]);
  expect(asked).toEqual(['service gateway org']);
});
