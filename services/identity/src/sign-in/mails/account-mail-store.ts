import type { RaisedEvent } from '@webkiln/contract';
import { open, organizationKey, seal } from '@webkiln/sealing';
import { defineGlobalModel, insertChange, newId, unscoped } from '@webkiln/store';
import { ownCaller } from './own-caller.ts';

/** A mail to somebody about his own sign-in. */
export interface AccountMail {
  readonly email: string;
  readonly subject: string;
  /** What it is about, in a sentence or two. */
  readonly about: string;
  /** What to follow, where there is something. */
  readonly link?: { readonly label: string; readonly url: string };
}

// Global: it is written before anybody asks whose organizations the account belongs to.
export const AccountMailModel = defineGlobalModel<{ sealed: string; expires_at: Date }>(
  'account_mails',
  { sealed: { type: String, required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Mails that wait to be sent, sealed: their links are secrets, and events carry none. */
export class KeptMails {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = organizationKey(Buffer.from(secret), 'mails of accounts');
  }

  /** Keeps a mail, and the event that has it sent; null keeps as much, and sends nothing. `forMs`: how long it is worth sending. */
  async keep(mail: AccountMail | null, forMs: number): Promise<void> {
    const mail_id = newId(undefined);
    const sealed = Buffer.from(seal(this.#key, Buffer.from(JSON.stringify(mail)))).toString('base64');
    const events: RaisedEvent[] = mail === null ? [] : [{ type: 'internal.account.mail', data: { mail_id } }];
    await insertChange(AccountMailModel, ownCaller(), {
      state: { _id: mail_id, sealed, expires_at: new Date(Date.now() + forMs) },
      events,
    });
  }

  /** Null where it was sent, or nobody wants it any more. */
  async find(_id: string): Promise<AccountMail | null> {
    const kept = await unscoped(AccountMailModel).findOne({ _id });
    if (kept === null || kept.expires_at <= new Date()) return null;
    return JSON.parse(Buffer.from(open(this.#key, Buffer.from(kept.sealed, 'base64'))).toString());
  }

  async forget(_id: string): Promise<void> {
    await unscoped(AccountMailModel).deleteOne({ _id });
  }
}
