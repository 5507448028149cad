import { createHmac, hash, randomBytes } from 'node:crypto';
import { AuditEntry, createProjection, type StateOf } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import { foldEmail } from '../accounts/account.ts';

/**
 * A stored entry. Its hash covers the fields that name somebody by digests. A salt is deleted with the fields that its
 * digest covers, which is then stored: the hash still verifies, and nobody can try names against it. Entries of earlier
 * releases have no salts: their hash covers the fields themselves.
 */
export interface EntryState extends StateOf<typeof AuditEntry> {
  /** The entry's number in the organization's log, from 1. */
  sequence: number;
  /** Salts the digest of the actor's email and network. */
  actor_salt?: string | null;
  actor_digest?: string | null;
  /** Salts the digest of the target's name, and of its id if that is an address. */
  target_salt?: string | null;
  target_digest?: string | null;
  /** True for an entry without salts from which something was removed: its hash can no longer be computed. */
  is_unverifiable?: boolean;
  /** The people that it names: ids of accounts, and addresses in lower case; without those that were removed. */
  people?: string[];
}

/** The last entry of a chain. */
interface Head {
  readonly sequence: number;
  readonly hash: string;
}

export const noEntries: Head = { sequence: 0, hash: '' };

const isAddress = ({ kind }: Pick<EntryState['target'], 'kind'>): boolean => kind === 'email';

const looksLikeAddress = /^[^\s@]+@[^\s@]+$/;

/** The address that a target is or shows, in lower case. */
export function addressIn(target: EntryState['target']): string | undefined {
  const text = isAddress(target) ? target.id : (target.name ?? '');
  return looksLikeAddress.test(text) ? foldEmail(text) : undefined;
}

export function peopleIn({ actor, target }: Pick<EntryState, 'actor' | 'target'>): string[] {
  const ids = [actor, target].filter(({ kind }) => kind === 'account').map(({ id }) => id);
  return [...new Set([...ids, addressIn(target) ?? []].flat())].filter((named) => named !== '');
}

/** The public record. */
export const toEntry = createProjection(AuditEntry);

/** The log's facts about people beyond the event: null for those whose account is deleted. */
export interface Shown {
  readonly email: string | null;
  readonly ip_prefix: string | null;
  readonly target: EntryState['target'];
}

/** The entry that appends an audited action to an organization's chain. */
export function nextEntry(
  org_id: string,
  head: Head,
  _id: string,
  { timestamp, data: { actor, action } }: EventEnvelope<'internal.audited'>,
  { email, ip_prefix, target }: Shown,
): EntryState {
  const entry = {
    _id,
    sequence: head.sequence + 1,
    at: timestamp,
    actor: { kind: actor.kind, id: actor.id, email, agent: actor.agent ?? null },
    action,
    target,
    ip_prefix,
    previous_hash: head.hash,
    actor_salt: newSalt(),
    target_salt: newSalt(),
  };
  return { ...entry, people: peopleIn(entry), hash: hashOfEntry(org_id, entry) };
}

const newSalt = () => randomBytes(16).toString('base64url');

type Hashed = Omit<EntryState, 'hash'>;

/** HMAC-SHA256 (RFC 2104): without the salt no guess can be tried against it. */
const digest = (salt: string, values: readonly unknown[]): string =>
  createHmac('sha256', salt).update(JSON.stringify(values)).digest('base64url');

/** Entries without an agent have the hash that they had before entries named agents. */
const agentIn = ({ agent }: Hashed['actor']): string[] => (agent ? [agent] : []);

const actorDigest = ({ actor_digest, actor_salt, actor, ip_prefix }: Hashed): string =>
  actor_digest ?? digest(actor_salt ?? '', [actor.email, ip_prefix, ...agentIn(actor)]);

const targetDigest = ({ target_digest, target_salt, target }: Hashed): string =>
  target_digest ?? digest(target_salt ?? '', [target.id, target.name]);

/** True for entries of releases whose hash covers names and addresses themselves. */
const isUnsalted = ({ actor_salt, actor_digest, target_salt, target_digest }: Hashed): boolean =>
  !(actor_salt || actor_digest) && !(target_salt || target_digest);

/**
 * Hashes all fields and the previous hash: changing, adding or removing an entry would require new hashes for all that
 * follow.
 */
export function hashOfEntry(org_id: string, entry: Hashed): string {
  const { previous_hash, sequence, _id, at, actor, action, target, ip_prefix } = entry;
  const start = [previous_hash, org_id, sequence, _id, at, actor.kind, actor.id];
  const content = isUnsalted(entry)
    ? [actor.email, action, target.kind, target.id, target.name, ip_prefix, ...agentIn(actor)]
    : [actorDigest(entry), action, target.kind, isAddress(target) ? '' : target.id, targetDigest(entry)];
  return hash('sha256', JSON.stringify([...start, ...content]), 'base64url');
}

/** `unverifiable`: the content of an entry without salts was reduced; only its place in the chain can be checked. */
export function verdictOn(org_id: string, entry: EntryState, isErased: boolean): 'genuine' | 'unverifiable' | 'broken' {
  const { actor, target, ip_prefix } = entry;
  const hasActor = actor.email !== null || ip_prefix !== null || Boolean(actor.agent);
  const hasTarget = target.name !== null || (isAddress(target) && target.id !== '');
  // A stored digest stands for fields that are gone: beside a field, it would hide that the field was changed.
  if ((entry.actor_digest && hasActor) || (entry.target_digest && hasTarget)) return 'broken';
  if (entry.hash === hashOfEntry(org_id, entry)) return 'genuine';
  const isReduced = isUnsalted(entry) && (isErased || entry.is_unverifiable === true) && !(hasActor && hasTarget);
  return isReduced ? 'unverifiable' : 'broken';
}

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
