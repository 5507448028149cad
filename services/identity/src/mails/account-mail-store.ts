import type { Language } from '@webkiln/contract';
import type { MailPurpose } from '@webkiln/mail';
import { Change, type RaisedEvent, serviceCaller } from '@webkiln/messages';
import type { SecretList } from '@webkiln/runtime';
import { openUnder, organizationKeys, seal } from '@webkiln/sealing';
import { defineGlobalModel, insertChange, newId, unscoped } from '@webkiln/store';

/** A mail to a person about their own sign-in. */
export interface AccountMail {
  readonly email: string;
  readonly purpose: MailPurpose;
  /** The network of the person who asked for it; absent if only the recipient can have. */
  readonly network?: string | undefined;
  /** Absent in mails that wait since before there were languages. */
  readonly language?: Language;
  readonly subject: string;
  /** The text, one or two sentences. */
  readonly about: string;
  readonly link?: { readonly label: string; readonly url: string };
}

// Global: mails are written before the account's organizations are known.
export const AccountMailModel = defineGlobalModel<{ sealed: string; expires_at: Date }>(
  'account_mails',
  { sealed: { type: String, required: true }, expires_at: { type: Date, required: true } },
  { raisesEvents: true, indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Mails that wait to be sent, encrypted: their links are secrets, which events must not carry. */
export class AccountMailStore {
  readonly #keys: SecretList<Uint8Array>;

  constructor(secrets: SecretList) {
    this.#keys = organizationKeys(secrets, 'mails of accounts');
  }

  /**
   * Stores a mail with the event that sends it. Null costs the same write but sends nothing. The mail is dropped after
   * `ttlMs`.
   */
  async save(mail: AccountMail | null, ttlMs: number): Promise<void> {
    const mail_id = newId(undefined);
    const sealed = Buffer.from(seal(this.#keys[0], Buffer.from(JSON.stringify(mail)))).toString('base64');
    const events: RaisedEvent[] = mail === null ? [] : [{ type: 'internal.account.mail', data: { mail_id } }];
    await insertChange(
      AccountMailModel,
      serviceCaller('identity'),
      new Change({ _id: mail_id, sealed, expires_at: new Date(Date.now() + ttlMs) }, events),
    );
  }

  /** Null if the mail was sent, expired or never meant to be sent. */
  async find(_id: string): Promise<AccountMail | null> {
    const stored = await unscoped(AccountMailModel).findOne({ _id });
    if (stored === null || stored.expires_at <= new Date()) return null;
    return JSON.parse(Buffer.from(openUnder(this.#keys, Buffer.from(stored.sealed, 'base64')).bytes).toString());
  }

  async remove(_id: string): Promise<void> {
    await unscoped(AccountMailModel).deleteOne({ _id });
  }
}
