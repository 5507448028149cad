import { hash } from 'node:crypto';
import { AuditEntry, createProjection, type StateOf } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';

/** A stored entry. */
export interface EntryState extends StateOf<typeof AuditEntry> {
  /** The entry's number in the organization's log, from 1. */
  sequence: number;
}

/** The last entry of a chain. */
export interface Head {
  readonly sequence: number;
  readonly hash: string;
}

export const noEntries: Head = { sequence: 0, hash: '' };

type Hashed = Omit<EntryState, 'hash'>;

/**
 * Hashes all fields and the previous hash: changing, adding or removing an entry would require new hashes for all that
 * follow.
 */
export const hashOfEntry = (org_id: string, { previous_hash, sequence, _id, at, actor, action, target, ip_prefix }: Hashed): string => {
  const content = [actor.kind, actor.id, actor.email, action, target.kind, target.id, target.name, ip_prefix];
  return hash('sha256', JSON.stringify([previous_hash, org_id, sequence, _id, at, ...content]), 'base64url');
};

/** The entry that appends an audited action to an organization's chain. */
export function nextEntry(
  org_id: string,
  head: Head,
  _id: string,
  event: EventEnvelope<'internal.audited'>,
  email: string | null,
): EntryState {
  const { actor, action, target, ip_prefix = null } = event.data;
  const { kind, id, name = null } = target;
  const entry: Hashed = {
    _id,
    sequence: head.sequence + 1,
    at: event.timestamp,
    actor: { ...actor, email },
    action,
    target: { kind, id, name },
    ip_prefix,
    previous_hash: head.hash,
  };
  return { ...entry, hash: hashOfEntry(org_id, entry) };
}

/** The fields of an entry that name somebody, reduced to ids. An address that was a target has no other id. */
export const idsOf = ({ actor, target }: EntryState): Pick<EntryState, 'actor' | 'target' | 'ip_prefix'> => ({
  actor: { kind: actor.kind, id: actor.id, email: null },
  target: { kind: target.kind, id: isAddress(target) ? '' : target.id, name: null },
  ip_prefix: null,
});

export const hasPersonalData = ({ actor, target, ip_prefix }: EntryState): boolean =>
  actor.email !== null || target.name !== null || ip_prefix !== null || (isAddress(target) && target.id !== '');

const isAddress = ({ kind }: EntryState['target']): boolean => kind === 'email';

/** The public record. */
export const toEntry = createProjection(AuditEntry);
