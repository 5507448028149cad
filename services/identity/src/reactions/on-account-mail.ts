import { consume } from '@webkiln/events';
import { type Mailbox, type Mailer, messageIdFor } from '@webkiln/mail';
import { accountMail } from '../auth/account-mail.ts';
import type { KeptMails } from '../auth/account-mail-store.ts';

interface Parts {
  kept: KeptMails;
  mailer: Mailer;
  from: Mailbox;
  /** The public address, without a slash at its end. */
  origin: string;
}

/** Sends each mail about a sign-in: at least once, under one Message-ID, and for as long as it is worth sending. */
export function onAccountMail({ kept, mailer, from, origin }: Parts): void {
  consume({
    name: 'identity-account-mail',
    types: ['internal.account.mail'],
    atOnce: 4,
    act: async ({ id, timestamp, data: { mail_id } }) => {
      const mail = await kept.find(mail_id);
      if (mail === null) return;
      const { email, subject, about, link } = mail;
      const letter = { greeting: 'Hello,', paragraphs: [about], ...(link !== undefined && { link }) };
      await mailer.send({
        ...(await accountMail(email, letter, { from, origin })),
        messageId: messageIdFor(id, from),
        date: new Date(timestamp),
        to: { name: email, address: email },
        subject,
      });
      await kept.forget(mail_id);
    },
  });
}
