import type { EventEnvelope } from '@webkiln/contract';
import { consume } from '@webkiln/events';
import { accountByEmail, emailsOf } from '../accounts/account-store.ts';
import { append } from '../audit/audit-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

/** Brings each act into the logs where it belongs, once. */
export function onAudited(): void {
  consume({
    name: 'identity-audit',
    types: ['internal.audited'],
    // In the order in which the stream has them: one that fails gives way to the next.
    atOnce: 1,
    effect: async (event, session) => {
      const { actor } = event.data;
      const email = actor.kind === 'account' ? ((await emailsOf([actor.id])).get(actor.id) ?? null) : null;
      for (const org_id of new Set(await organizationsOf(event))) await append(org_id, session, event, email);
    },
  });
}

/** What was tried against an address is told before anybody looks whose it is. */
async function organizationsOf({ org_id, data: { org_ids, email = '' } }: EventEnvelope<'internal.audited'>): Promise<readonly string[]> {
  if (org_ids !== undefined) return org_ids;
  if (org_id !== '') return [org_id];
  const account = await accountByEmail(email);
  return account === null ? [] : (await membershipsOf(account._id)).map((membership) => membership.org_id);
}
