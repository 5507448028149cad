import { AuditEntry, createProjection, type StateOf } from '@webkiln/contract';
import { foldEmail } from '../accounts/account.ts';

/**
 * A stored entry. Its hash covers the fields that name somebody by digests. A salt is deleted with the fields that its
 * digest covers, which is then stored: the hash still verifies, and nobody can try names against it. Entries of earlier
 * releases have no salts: their hash covers the fields themselves.
 */
export interface EntryState extends StateOf<typeof AuditEntry> {
  /** The entry's number in the organization's log, from 1. */
  sequence: number;
  /** Of the actor's email and network. */
  actor_salt?: string | null;
  actor_digest?: string | null;
  /** Of the target's name, and of its id if that is an address. */
  target_salt?: string | null;
  target_digest?: string | null;
  /** True for an entry without salts from which something was removed: its hash can no longer be computed. */
  is_unverifiable?: boolean;
  /** Whom it names: ids of accounts, and addresses in lower case; without those that were removed. */
  people?: string[];
}

/** The last entry of a chain. */
export interface Head {
  readonly sequence: number;
  readonly hash: string;
}

export const noEntries: Head = { sequence: 0, hash: '' };

export const isAddress = ({ kind }: Pick<EntryState['target'], 'kind'>): boolean => kind === 'email';

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
