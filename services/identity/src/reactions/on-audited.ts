import { consume, consumerOf } from '@webkiln/events';
import type { EventEnvelope } from '@webkiln/messages';
import { accountByEmail, emailsOf } from '../accounts/account-store.ts';
import { append } from '../audit/audit-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

/** Appends each audited action once to the log of every organization that it concerns. */
export function onAudited(): void {
  consume({
    ...consumerOf('identity-audit'),
    // One at a time keeps the stream's order; a failed event is retried after the next ones.
    concurrency: 1,
    transactionalHandler: async (event, session) => {
      const { actor } = event.data;
      const email = actor.kind === 'account' ? ((await emailsOf([actor.id])).get(actor.id) ?? null) : null;
      for (const org_id of new Set(await organizationsOf(event))) await append(org_id, session, event, email);
    },
  });
}

/** Blocked sign-ins name only an email address; its account's organizations are looked up here. */
async function organizationsOf({ org_id, data: { org_ids, email = '' } }: EventEnvelope<'internal.audited'>): Promise<readonly string[]> {
  if (org_ids !== undefined) return org_ids;
  if (org_id !== '') return [org_id];
  const account = await accountByEmail(email);
  return account === null ? [] : (await membershipsOf(account._id)).map((membership) => membership.org_id);
}
