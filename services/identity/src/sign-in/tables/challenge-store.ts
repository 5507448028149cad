import { defineGlobalModel, unscoped } from '@webkiln/store';
import { plainTable } from './table.ts';

interface Challenge {
  /** SHA-256 of the token in the link or cookie. */
  identifier: string;
  value: string;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
}

// Global: mailed links, and the cookie between password and second factor, are looked up before the organization is
// known.
const ChallengeModel = defineGlobalModel<Challenge>(
  'challenges',
  {
    identifier: { type: String, required: true },
    value: { type: String, required: true },
    expires_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { indexes: [[{ identifier: 1, created_at: -1 }], [{ value: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/**
 * Deletes an account's password reset links and its sign-ins that wait for a second factor; their `value` is the
 * account's id.
 */
export async function deleteChallenges(account_id: string): Promise<void> {
  await unscoped(ChallengeModel).deleteMany({ value: account_id });
}

export const challengeTable = plainTable(ChallengeModel);

// Global, like accounts: a used code is refused for as long as it is valid.
const UsedCodeModel = defineGlobalModel<{ expires_at: Date }>(
  'used_codes',
  { expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const codeLifetimeMs = 5 * 60_000;

/** Marks a code as used. Throws an error that `isDuplicate` recognizes if it was used before. */
export const consumeCode = (account_id: string, code: string): Promise<void> =>
  unscoped(UsedCodeModel).insert({ _id: `${account_id} ${code}`, expires_at: new Date(Date.now() + codeLifetimeMs) });
