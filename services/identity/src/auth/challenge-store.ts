import { defineGlobalModel, type GlobalModel, unscoped } from '@webkiln/store';
import { filterOf, type Row, type Table } from './table.ts';

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

interface SecondFactor {
  account_id: string;
  /** Sealed by the library under AUTH_SECRET, as are the codes. */
  secret: string;
  backup_codes: string;
  verified: boolean;
  failed_verification_count: number;
  locked_until: Date | null;
}

// Global: one per account.
const SecondFactorModel = defineGlobalModel<SecondFactor>(
  'second_factors',
  {
    account_id: { type: String, required: true },
    secret: { type: String, required: true },
    backup_codes: { type: String, required: true },
    verified: { type: Boolean, required: true },
    failed_verification_count: { type: Number, default: 0 },
    locked_until: { type: Date, default: null },
  },
  { indexes: [[{ account_id: 1 }, { unique: true }]] },
);

/** Records that are what the library makes them. */
const plainTable = <Doc>(model: GlobalModel<Doc>): Table => {
  const rows = () => unscoped(model as GlobalModel<Record<string, unknown>>);
  return {
    async create(row) {
      await rows().insert(row);
      return row;
    },
    find: async (clauses, limit, newestFirst) =>
      (await rows().find(filterOf(clauses), { limit, ...(newestFirst && { sort: { created_at: -1 } }) })) as Row[],
    change: async (clauses, changes) => (await rows().updateMany(filterOf(clauses), { $set: changes })).matchedCount,
    remove: async (clauses) => (await rows().deleteMany(filterOf(clauses))).deletedCount,
  };
};

export const challengeTable = plainTable(ChallengeModel);
export const secondFactorTable = plainTable(SecondFactorModel);

// Global, as the factors: a code that was used is not taken again while it would still be right.
const UsedCodeModel = defineGlobalModel<{ expires_at: Date }>(
  'used_codes',
  { expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const codeLivesMs = 5 * 60_000;

/** Takes a code for an account; throws an error that `isDuplicate` tells where it was taken before. */
export const takeCode = (account_id: string, code: string): Promise<void> =>
  unscoped(UsedCodeModel).insert({ _id: `${account_id} ${code}`, expires_at: new Date(Date.now() + codeLivesMs) });
