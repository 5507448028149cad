import type { AuditAction } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, type EmailTemplate, type Mailbox, type Mailer, messageIdFor, plainName } from '@webkiln/mail';
import type { EventEnvelope } from '@webkiln/messages';
import { accountById } from '../accounts/account-store.ts';
import { accountMail } from '../mails/account-mail.ts';
import { organizationById } from '../organizations/organization-store.ts';

type Audited = EventEnvelope<'internal.audited'>;
type NoticeOf = (event: Audited, origin: string) => AccountNotice | Promise<AccountNotice>;

/** The audited actions that an account's owner is told of. */
const notices: Partial<Record<AuditAction, NoticeOf>> = {
  'passkey.added': passkeyNotice('A passkey was added to your account'),
  'passkey.removed': passkeyNotice('A passkey was removed from your account'),
  'agent.token_reused': reuseNotice,
};

/**
 * Mails an account's owner about what others may have done in its name: at least once, under one Message-ID. One
 * consumer for all of it, since each sees every audited action; it has the name of the first.
 */
export function onAccountAct(sender: AccountNoticeSender): void {
  consume({
    ...consumerOf('identity-passkey-mail'),
    ...accountMailConsumption,
    concerns: ({ data: { action } }) => action in notices,
    atLeastOnceHandler: async (event) => {
      const notice = await notices[event.data.action]?.(event, sender.origin);
      if (notice !== undefined) await sendAccountNotice(sender, event, notice);
    },
  });
}

function passkeyNotice(subject: string): NoticeOf {
  return ({ data: { account_id = '', target } }, origin) => ({
    ...{ account_id, isRecipients: true, subject },
    paragraphs: [
      `${subject}: ${plainName(target.name ?? '')}.`,
      'If that was not you, change your password and look through your passkeys at once.',
    ],
    link: { label: 'Go to your account', url: `${origin}/account` },
  });
}

async function reuseNotice({ org_id, data: { actor, target } }: Audited, origin: string): Promise<AccountNotice> {
  const organization = plainName((await organizationById(org_id))?.name ?? '');
  const agent = plainName(target.name ?? '');
  return {
    account_id: actor.id,
    // Others can cause it: it must not use up the notices that only the recipient can.
    isRecipients: false,
    subject: `A token of ${agent} was used twice`,
    paragraphs: [
      `A token with which ${agent} acts for you in ${organization} was used twice, so somebody else may have a copy. This access has ended.`,
      'If you use this agent, connect it again. If not, disconnect it in the dashboard.',
    ],
    link: { label: 'See your agents', url: `${origin}/agents` },
  };
}

interface AccountNoticeSender {
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The public URL, without a trailing slash. */
  readonly origin: string;
}

interface AccountNotice extends Pick<EmailTemplate, 'paragraphs' | 'link'> {
  readonly account_id: string;
  /** True if only the recipient can have caused it. */
  readonly isRecipients: boolean;
  readonly subject: string;
}

/** Mails an account's owner what happened to the account; nobody if it is deleted. */
async function sendAccountNotice(
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
