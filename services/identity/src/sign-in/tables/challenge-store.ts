import { defineGlobalModel, unscoped } from '@webkiln/store';
import { plainTable } from './plain-table.ts';

interface Challenge {
  /** SHA-256 of what the link or cookie carries. */
  identifier: string;
  value: string;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
}

// Global: what a link in a mail or the cookie between password and second factor stands for.
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

/** Voids an account's links for a new password, and sign-ins that wait for a second factor: the library keeps its id as their value. */
export async function forgetChallenges(account_id: string): Promise<void> {
  await unscoped(ChallengeModel).deleteMany({ value: account_id });
}

export const challengeTable = plainTable(ChallengeModel);

// Global, as accounts are: a code that was used is not taken again while it would still be right.
const UsedCodeModel = defineGlobalModel<{ expires_at: Date }>(
  'used_codes',
  { expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const codeLivesMs = 5 * 60_000;

/** Takes a code for an account; throws an error that `isDuplicate` tells where it was taken before. */
export const takeCode = (account_id: string, code: string): Promise<void> =>
  unscoped(UsedCodeModel).insert({ _id: `${account_id} ${code}`, expires_at: new Date(Date.now() + codeLivesMs) });
