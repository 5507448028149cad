import { defineModel, isDuplicate, scoped } from '@webkiln/store';

/** How long an address that has not answered is remembered as asked. */
const unansweredMs = 30 * 24 * 3600_000;

export type StoredConsent = 'asked' | 'agreed' | 'withdrawn';

/** The consent of an address to an organization's form mails. `_id` is a keyed digest of both. */
interface MailConsent {
  _id: string;
  org_id: string;
  state: StoredConsent;
  at: Date;
  /** Null once the recipient has answered. */
  expires_at: Date | null;
}

const MailConsentModel = defineModel<MailConsent>(
  'mail_consents',
  {
    state: { type: String, required: true },
    at: { type: Date, required: true },
    expires_at: { type: Date, default: null },
  },
  {
    exportedAs: null,
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { expires_at: { $type: 'date' } } }]],
  },
);

/** Undefined if the recipient was never asked. */
export const storedConsent = async (org_id: string, _id: string): Promise<StoredConsent | undefined> =>
  (await scoped(MailConsentModel, { org_id }).findOne({ _id }))?.state;

/** Notes that the recipient was asked, unless an answer is stored. */
export async function storeAsked(org_id: string, _id: string, at: Date): Promise<void> {
  try {
    await scoped(MailConsentModel, { org_id }).insert({ _id, state: 'asked', at, expires_at: new Date(at.getTime() + unansweredMs) });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Stores the recipient's answer; the last one counts. */
export async function storeAnswer(org_id: string, _id: string, state: 'agreed' | 'withdrawn', at: Date): Promise<void> {
  const answer = () => scoped(MailConsentModel, { org_id }).updateOne({ _id }, { $set: { state, at, expires_at: null } }, { upsert: true });
  try {
    await answer();
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
    await answer();
  }
}
