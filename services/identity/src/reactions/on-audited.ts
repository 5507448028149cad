import { consume, consumerOf } from '@webkiln/events';
import type { EventEnvelope } from '@webkiln/messages';
import type { Session } from '@webkiln/store';
import { accountByEmail, emailOf } from '../accounts/account-store.ts';
import { addressIn } from '../audit/audit-entry.ts';
import { append } from '../audit/audit-store.ts';
import type { Shown } from '../audit/next-entry.ts';
import { targetWithoutName } from '../audit/reduce-entry.ts';
import type { ErasedAddresses } from '../deletion/erased-addresses.ts';
import { membershipsOf } from '../sessions/memberships.ts';

/** Appends each audited action once to the log of every organization that it concerns. */
export function onAudited(erased: ErasedAddresses): void {
  consume({
    ...consumerOf('identity-audit'),
    // One at a time keeps the stream's order; a failed event is retried after the next ones.
    concurrency: 1,
    transactionalHandler: async (event, session) => {
      const org_ids = new Set(await organizationsOf(event));
      const shown = await shownOf(event, session, erased);
      for (const org_id of org_ids) await append(org_id, session, event, shown);
    },
  });
}

/** An act that is logged after an account was deleted does not name it. In the session: see `interruptAppends`. */
async function shownOf({ timestamp, data }: EventEnvelope<'internal.audited'>, session: Session, erased: ErasedAddresses): Promise<Shown> {
  const { actor, ip_prefix = null } = data;
  const email = actor.kind === 'account' ? await emailOf(actor.id, session) : null;
  const isDeleted = actor.kind === 'account' && email === null;
  const { kind, id, name = null } = data.target;
  const target = { kind, id, name };
  const address = addressIn(target);
  const isOwn = target.kind === 'passkey' || (target.id === actor.id && address !== undefined);
  const isErased = (isDeleted && isOwn) || (address !== undefined && (await erased.has(address, new Date(timestamp), session)));
  return { email, ip_prefix: isDeleted ? null : ip_prefix, target: isErased ? targetWithoutName(target) : target };
}

/** Blocked sign-ins name only an email address; its account's organizations are looked up here. */
async function organizationsOf({ org_id, data: { org_ids, email = '' } }: EventEnvelope<'internal.audited'>): Promise<readonly string[]> {
  if (org_ids !== undefined) return org_ids;
  if (org_id !== '') return [org_id];
  const account = await accountByEmail(email);
  return account === null ? [] : (await membershipsOf(account._id)).map((membership) => membership.org_id);
}
