import { createHmac, hash } from 'node:crypto';
import { type EntryState, isAddress } from './audit-entry.ts';

type Hashed = Omit<EntryState, 'hash'>;

/** HMAC-SHA256 (RFC 2104): without the salt no guess can be tried against it. */
const digest = (salt: string, values: readonly unknown[]): string =>
  createHmac('sha256', salt).update(JSON.stringify(values)).digest('base64url');

/** Entries without an agent have the hash that they had before entries named agents. */
const agentIn = ({ agent }: Hashed['actor']): string[] => (agent ? [agent] : []);

export const actorDigest = ({ actor_digest, actor_salt, actor, ip_prefix }: Hashed): string =>
  actor_digest ?? digest(actor_salt ?? '', [actor.email, ip_prefix, ...agentIn(actor)]);

export const targetDigest = ({ target_digest, target_salt, target }: Hashed): string =>
  target_digest ?? digest(target_salt ?? '', [target.id, target.name]);

/** True for entries of releases whose hash covers names and addresses themselves. */
export const isUnsalted = ({ actor_salt, actor_digest, target_salt, target_digest }: Hashed): boolean =>
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
