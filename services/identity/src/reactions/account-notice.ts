import { type EmailTemplate, type Mailbox, type Mailer, messageIdFor } from '@webkiln/mail';
import type { EventEnvelope } from '@webkiln/messages';
import { accountById } from '../accounts/account-store.ts';
import { accountMail } from '../sign-in/mails/account-mail.ts';

export interface AccountNoticeSender {
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The public URL, without a trailing slash. */
  readonly origin: string;
}

export interface AccountNotice extends Pick<EmailTemplate, 'paragraphs' | 'link'> {
  readonly account_id: string;
  /** True if only the recipient can have caused it. */
  readonly isRecipients: boolean;
  readonly subject: string;
}

/** Mails an account's owner what happened to the account; nobody if it is deleted. */
export async function sendAccountNotice(
  { mailer, from, origin }: AccountNoticeSender,
  { id, timestamp }: Pick<EventEnvelope, 'id' | 'timestamp'>,
  { account_id, isRecipients, subject, ...template }: AccountNotice,
): Promise<void> {
  const account = await accountById(account_id);
  if (account === null || account.deleted_at) return;
  await mailer.send({
    org_id: '',
    purpose: 'notice',
    isRecipients,
    ...(await accountMail(account.email, { greeting: 'Hello,', ...template }, { from, origin })),
    messageId: messageIdFor(id, from),
    date: new Date(timestamp),
    to: { name: account.name ?? account.email, address: account.email },
    subject,
  });
}
