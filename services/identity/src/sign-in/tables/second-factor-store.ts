import { defineGlobalModel } from '@webkiln/store';

const keptSecondsAfterRemoval = 24 * 3600;

export interface SecondFactor {
  account_id: string;
  /** Encrypted by the library under the first AUTH_SECRET, like the codes. */
  secret: string;
  backup_codes: string;
  verified: boolean;
  failed_verification_count: number;
  locked_until: Date | null;
  removed_at: Date | null;
}

// Global: one per account.
export const SecondFactorModel = defineGlobalModel<SecondFactor>(
  'second_factors',
  {
    account_id: { type: String, required: true },
    secret: { type: String, required: true },
    backup_codes: { type: String, required: true },
    verified: { type: Boolean, required: true },
    failed_verification_count: { type: Number, default: 0 },
    locked_until: { type: Date, default: null },
    removed_at: { type: Date, default: null },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ account_id: 1 }, { unique: true }],
      [{ removed_at: 1 }, { expireAfterSeconds: keptSecondsAfterRemoval }],
    ],
  },
);
