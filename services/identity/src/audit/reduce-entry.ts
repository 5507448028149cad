import { addressIn, type EntryState, isAddress } from './audit-entry.ts';
import { actorDigest, isUnsalted, targetDigest } from './entry-hash.ts';

/** A person whose names are removed: an account with its addresses. */
export interface Person {
  readonly account_id: string;
  /** In lower case. */
  readonly addresses: readonly string[];
}

type Reduced = Partial<EntryState>;

const withoutActor = (entry: EntryState): Reduced => ({
  actor: { ...entry.actor, email: null, agent: null },
  ip_prefix: null,
  ...(isUnsalted(entry) ? { is_unverifiable: true } : { actor_digest: actorDigest(entry), actor_salt: null }),
});

/** An address that was a target has no other id. */
export const targetWithoutName = (target: EntryState['target']): EntryState['target'] => ({
  ...target,
  id: isAddress(target) ? '' : target.id,
  name: null,
});

const withoutTarget = (entry: EntryState): Reduced => ({
  target: targetWithoutName(entry.target),
  ...(isUnsalted(entry) ? { is_unverifiable: true } : { target_digest: targetDigest(entry), target_salt: null }),
});

/** The rest of an entry when everybody's name is removed. */
export const withoutNames = (entry: EntryState): Reduced => ({ ...withoutActor(entry), ...withoutTarget(entry), people: [] });

export const hasNames = ({ actor, target, ip_prefix, people = [] }: EntryState): boolean =>
  actor.email !== null ||
  Boolean(actor.agent) ||
  target.name !== null ||
  ip_prefix !== null ||
  (isAddress(target) && target.id !== '') ||
  people.length > 0;

/** The rest of an entry when one person's name is removed, as actor and as target. */
export function withoutPerson(entry: EntryState, { account_id, addresses }: Person): Reduced {
  const { actor, target, people = [] } = entry;
  const address = addressIn(target);
  const isActor = actor.kind === 'account' && actor.id === account_id;
  const isOwn = (target.kind === 'account' && target.id === account_id && address !== undefined) || (isActor && target.kind === 'passkey');
  const isOthers = target.kind === 'account' && target.id !== account_id;
  const isTarget = isOwn || (address !== undefined && addresses.includes(address) && !isOthers);
  return {
    ...(isActor && withoutActor(entry)),
    ...(isTarget && withoutTarget(entry)),
    people: people.filter((named) => named !== account_id && !addresses.includes(named)),
  };
}
