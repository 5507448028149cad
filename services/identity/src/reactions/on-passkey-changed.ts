import type { AuditAction } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, type Mailbox, type Mailer, messageIdFor, plainName } from '@webkiln/mail';
import { accountById } from '../accounts/account-store.ts';
import { accountMail } from '../sign-in/mails/account-mail.ts';

interface Dependencies {
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

const subjects: Partial<Record<AuditAction, string>> = {
  'passkey.added': 'A passkey was added to your account',
  'passkey.removed': 'A passkey was removed from your account',
};

/** Mails the owner about each added or removed passkey: at least once, under one Message-ID. */
export function onPasskeyChanged({ mailer, from, origin }: Dependencies): void {
  consume({
    ...consumerOf('identity-passkey-mail'),
    ...accountMailConsumption,
    concerns: ({ data: { action } }) => action in subjects,
    atLeastOnceHandler: async ({ id, timestamp, data: { action, account_id, target } }) => {
      const subject = subjects[action];
      if (subject === undefined || account_id === undefined) return;
      const account = await accountById(account_id);
      if (account === null) return;
      const template = {
        greeting: 'Hello,',
        paragraphs: [
          `${subject}: ${plainName(target.name ?? '')}.`,
          'If that was not you, change your password and look through your passkeys at once.',
        ],
        link: { label: 'Go to your account', url: `${origin}/account` },
      };
      await mailer.send({
        org_id: '',
        purpose: 'notice',
        isRecipients: true,
        ...(await accountMail(account.email, template, { from, origin })),
        messageId: messageIdFor(id, from),
        date: new Date(timestamp),
        to: { name: account.name ?? account.email, address: account.email },
        subject,
      });
    },
  });
}
