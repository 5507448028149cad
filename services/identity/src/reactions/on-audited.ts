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
    atOnce: 4,
    effect: async (event, session) => {
      const { actor } = event.data;
      const email = actor.kind === 'account' ? ((await emailsOf([actor.id])).get(actor.id) ?? null) : null;
      for (const org_id of await organizationsOf(event)) await append(org_id, session, event, email);
    },
  });
}

async function organizationsOf({ org_id, data }: EventEnvelope<'internal.audited'>): Promise<readonly string[]> {
  if (data.org_ids !== undefined) return data.org_ids;
  if (org_id !== '') return [org_id];
  const account_id = data.account_id ?? (data.email === undefined ? undefined : (await accountByEmail(data.email))?._id);
  return account_id === undefined ? [] : (await membershipsOf(account_id)).map((membership) => membership.org_id);
}
