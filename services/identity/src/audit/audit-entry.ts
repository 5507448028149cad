import { hash } from 'node:crypto';
import type { AuditEntry, EventEnvelope } from '@webkiln/contract';

/** An entry as it is kept. `at` is ISO 8601. */
export interface EntryState {
  _id: string;
  /** Counts the organization's entries, from 1. */
  sequence: number;
  at: string;
  actor: AuditEntry['actor'];
  action: AuditEntry['action'];
  target: AuditEntry['target'];
  ip_prefix: string | null;
  previous_hash: string;
  hash: string;
}

/** The last entry of a chain. */
export interface Head {
  readonly sequence: number;
  readonly hash: string;
}

export const noEntries: Head = { sequence: 0, hash: '' };

type Hashed = Omit<EntryState, 'hash'>;

/** Over all that an entry says and the hash before: none can be changed, put in or left out without all that follow being made anew. */
export const hashOfEntry = (org_id: string, { previous_hash, sequence, _id, at, actor, action, target, ip_prefix }: Hashed): string => {
  const said = [actor.kind, actor.id, actor.email, action, target.kind, target.id, target.name, ip_prefix];
  return hash('sha256', JSON.stringify([previous_hash, org_id, sequence, _id, at, ...said]), 'base64url');
};

/** The entry that an act makes at the end of an organization's chain. */
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

/** The REST shape. */
export const toEntry = ({ _id, sequence: _sequence, ...entry }: EntryState) => ({ id: _id, ...entry });
