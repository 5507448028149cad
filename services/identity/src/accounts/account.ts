import type { Account, Language, StateOf } from '@webkiln/contract';

/**
 * A person's account, for all organizations. `email_verified` is true once its owner has proved to receive mail at the
 * address, `two_factor` if sign-in requires a second factor.
 */
export interface AccountState extends Omit<StateOf<typeof Account>, 'language'> {
  /** The language that the person has chosen, or that its browser first had; null or absent before. */
  language?: Language | null;
  /** The email in lower case, for uniqueness and look-ups. */
  email_folded: string;
  /** Null until the person has chosen a password. */
  password_hash: string | null;
  /** The name of the organization to create once the email is verified; null afterwards. */
  wanted_organization: string | null;
  /** When an operator locked it: it cannot sign in. Null or absent if it can. */
  locked_at?: Date | null;
  /** When an operator began to delete it: it cannot sign in. */
  deleted_at?: Date | null;
  /** When its address and name were removed; the record is deleted a day later. */
  erased_at?: Date | null;
  /** When what was under way while it was deleted was looked for. */
  swept_at?: Date | null;
  /** Devices that signed in until then are no longer known ones. */
  devices_after?: Date | null;
  created_at: Date;
  updated_at: Date;
}

export type AccountDraft = Pick<AccountState, '_id' | 'email' | 'name'>;

export const foldEmail = (email: string) => email.toLowerCase();

export const openAccount = (draft: AccountDraft, now: Date): AccountState => ({
  ...draft,
  email_folded: foldEmail(draft.email),
  password_hash: null,
  email_verified: false,
  two_factor: false,
  language: null,
  wanted_organization: null,
  created_at: now,
  updated_at: now,
});

/**
 * Accounts from before sign-up existed lack the field. They were created by a mailed link or by an operator and count
 * as verified.
 */
export const isVerified = ({ email_verified }: Partial<Pick<AccountState, 'email_verified'>>): boolean => email_verified !== false;

/** Devices that signed in until then, also to an earlier account with this address, are not known ones. */
export const knownDevicesAfter = ({ devices_after, created_at }: Pick<AccountState, 'devices_after' | 'created_at'>): Date =>
  // Proofs of devices are in whole seconds.
  devices_after ?? new Date(created_at.getTime() - 1_000);

/** The public record. */
export const toAccount = (account: AccountState) => ({
  id: account._id,
  email: account.email,
  name: account.name,
  email_verified: isVerified(account),
  two_factor: account.two_factor === true,
  language: account.language ?? null,
});
