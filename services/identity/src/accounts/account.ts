/** A person's sign-in, for all organizations. */
export interface AccountState {
  _id: string;
  email: string;
  /** The email whatever its case: what uniqueness and look-ups go by. */
  email_folded: string;
  name: string | null;
  /** null until the person has chosen a password. */
  password_hash: string | null;
  /** Whether whoever has the account has shown to read the email's mail. */
  email_verified: boolean;
  /** Whether signing in takes a second factor. */
  two_factor: boolean;
  /** The name of the organization to be made when the email is verified; null once it is. */
  wanted_organization: string | null;
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
  wanted_organization: null,
  created_at: now,
  updated_at: now,
});

/** Kept before there was sign-up, an account has no such field: a link that came by mail, or an operator, made it. */
export const isVerified = ({ email_verified }: Partial<Pick<AccountState, 'email_verified'>>): boolean => email_verified !== false;
