import { consume, consumerOf } from '@webkiln/events';
import type { EventEnvelope } from '@webkiln/messages';
import { accountByEmail, emailsOf } from '../accounts/account-store.ts';
import type { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { addressIn, type Shown, targetWithoutName } from '../audit/audit-entry.ts';
import { type Act, append } from '../audit/audit-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';

type Audited = EventEnvelope<'internal.audited'>;

const maxBatchSize = 256;
/** Acts come in rows, such as an organization and its first keys; a transaction costs as much for one as for all. */
const lingerMs = 200;

/** Appends each audited action once to the log of every organization that it concerns. */
export function onAudited(erased: ErasedAddresses): void {
  consume({
    ...consumerOf('identity-audit'),
    // One batch at a time keeps the stream's order; a failed event is retried after the next ones.
    concurrency: maxBatchSize,
    lingerMs,
    transactionalBatchHandler: async (events, session) => {
      const orgIds = await Promise.all(events.map(organizationsOf));
      const emails = await emailsOf(
        events.flatMap(({ data: { actor } }) => (actor.kind === 'account' ? actor.id : [])),
        session,
      );
      const erasedAt = await erased.among(
        events.flatMap(({ data: { target } }) => addressIn({ ...target, name: target.name ?? null }) ?? []),
        session,
      );
      const acts = new Map<string, [Act, ...Act[]]>();
      for (const [index, event] of events.entries()) {
        const act = { event, shown: shownOf(event, emails, erasedAt) };
        for (const org_id of new Set(orgIds[index])) {
          const others = acts.get(org_id);
          if (others === undefined) acts.set(org_id, [act]);
          else others.push(act);
        }
      }
      for (const [org_id, ours] of acts) await append(org_id, session, ours);
    },
  });
}

/**
 * An act that is logged after an account was deleted does not name it. `emails` and `erasedAt` are read in the session:
 * see `interruptAppends`.
 */
function shownOf({ timestamp, data }: Audited, emails: ReadonlyMap<string, string>, erasedAt: ReadonlyMap<string, Date>): Shown {
  const { actor, ip_prefix = null } = data;
  const email = actor.kind === 'account' ? (emails.get(actor.id) ?? null) : null;
  const isDeleted = actor.kind === 'account' && email === null;
  const { kind, id, name = null } = data.target;
  const target = { kind, id, name };
  const address = addressIn(target);
  const isOwn = target.kind === 'passkey' || (target.id === actor.id && address !== undefined);
  const deletedAt = address === undefined ? undefined : erasedAt.get(address);
  const isErased = (isDeleted && isOwn) || (deletedAt !== undefined && new Date(timestamp) <= deletedAt);
  return { email, ip_prefix: isDeleted ? null : ip_prefix, target: isErased ? targetWithoutName(target) : target };
}

/** Blocked sign-ins name only an email address; its account's organizations are looked up here. */
async function organizationsOf({ org_id, data: { org_ids, email = '' } }: Audited): Promise<readonly string[]> {
  if (org_ids !== undefined) return org_ids;
  if (org_id !== '') return [org_id];
  const account = await accountByEmail(email);
  return account === null ? [] : (await membershipsOf(account._id)).map((membership) => membership.org_id);
}
