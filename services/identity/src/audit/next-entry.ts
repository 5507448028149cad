import { randomBytes } from 'node:crypto';
import type { EventEnvelope } from '@webkiln/messages';
import { type EntryState, type Head, peopleIn } from './audit-entry.ts';
import { hashOfEntry } from './entry-hash.ts';

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
