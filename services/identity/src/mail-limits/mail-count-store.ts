import { AppError } from '@webkiln/contract';
import { Change } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import { defineGlobalModel, isDuplicate, isEditedMeanwhile, saveChange, unscoped } from '@webkiln/store';
import { identityCaller } from '../sign-in/identity-caller.ts';
import { type CountedMail, countMail, type MailLimits, type MailToCount } from './mail-limits.ts';

const keptMs = 24 * 3600_000;
/** Each lost race is another counted mail. */
const maxAttempts = 100;

// Global: a recipient is protected from all organizations together. `_id` is a keyed digest of the address.
const MailCountModel = defineGlobalModel<{ mails: CountedMail[]; expires_at: Date }>(
  'mail_counts',
  {
    mails: { type: [{ _id: false, id: String, purpose: String, asked_by: String, agreed: Boolean, at: Date }], required: true },
    expires_at: { type: Date, required: true },
  },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Counts a mail to a recipient, exactly over all processes. False if it exceeds a limit. Throws `overloaded`. */
export function takeMail(recipient: string, mail: MailToCount, limits: MailLimits): Promise<boolean> {
  const attempt = async () => {
    const known = await unscoped(MailCountModel).findOne({ _id: recipient });
    const now = new Date();
    const mails = countMail(known?.mails ?? [], mail, limits, now);
    if (mails === null) return false;
    const state = { mails: [...mails], expires_at: new Date(now.getTime() + keptMs) };
    if (known === null) await unscoped(MailCountModel).insert({ _id: recipient, ...state });
    else await saveChange(MailCountModel, identityCaller(), known, new Change(state, []));
    return true;
  };
  return retry(attempt, {
    maxAttempts,
    isRetryable: (error) => isDuplicate(error, '_id') || isEditedMeanwhile(error),
    exhausted: (cause) => new AppError('overloaded', [], { cause }),
  });
}
