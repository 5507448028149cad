import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '@webkiln/messages';
import { inTransaction } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { MemberModel } from '../members/member-store.ts';
import { eraseInIdentity } from '../reactions/on-organization-erased.ts';
import { append, entriesAfter } from './audit-store.ts';

useTestStore();

const erased = new ErasedAddresses({ digestMaster: Buffer.from('secret') });

const audited = (org_id: string) =>
  ({
    id: randomUUID(),
    type: 'internal.audited',
    org_id,
    timestamp: new Date().toISOString(),
    api_version: 'v1',
    data: {
      actor: { kind: 'account', id: 'ada' },
      action: 'client.created',
      target: { kind: 'client', id: 'client', name: 'Grace' },
      ip_prefix: '192.0.2.0/24',
    },
  }) as unknown as EventEnvelope<'internal.audited'>;

test('what is audited after an organization was erased is logged with ids alone, after the entries before it', async () => {
  const org_id = randomUUID();
  const event = audited(org_id);
  const shown = { email: 'ada@example.com', ip_prefix: '192.0.2.0/24', target: { kind: 'client', id: 'client', name: 'Grace' } } as const;
  const log = () => inTransaction(MemberModel, (session) => append(org_id, session, [{ event: { ...event, id: randomUUID() }, shown }]));
  await log();
  await eraseInIdentity(org_id, erased);
  await log();
  const entries = await entriesAfter({ org_id }, 0, 10);
  expect(entries.map(({ actor, target, ip_prefix }) => ({ actor, target, ip_prefix }))).toEqual(
    Array(2).fill({
      actor: { kind: 'account', id: 'ada', email: null, agent: null },
      target: { kind: 'client', id: 'client', name: null },
      ip_prefix: null,
    }),
  );
  expect(entries[1]?.previous_hash).toBe(entries[0]?.hash);
  expect(await eraseInIdentity(org_id, erased)).toBe(0);
});
