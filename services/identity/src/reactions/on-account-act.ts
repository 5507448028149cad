import { type AuditAction, defaultLanguage } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, type Mailbox, type Mailer, messageIdFor, plainName } from '@webkiln/mail';
import type { EventEnvelope } from '@webkiln/messages';
import type { MailsTexts } from '../../gen/texts.ts';
import { accountById } from '../accounts/account-store.ts';
import { accountMail } from '../mails/account-mail.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { texts } from '../texts.ts';

type Audited = EventEnvelope<'internal.audited'>;
type NoticeOf = (event: Audited) => AccountNotice | Promise<AccountNotice>;

/** The audited actions that an account's owner is told of. */
const notices: Partial<Record<AuditAction, NoticeOf>> = {
  'passkey.added': passkeyNotice('added'),
  'passkey.removed': passkeyNotice('removed'),
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
      const notice = await notices[event.data.action]?.(event);
      if (notice !== undefined) await sendAccountNotice(sender, event, notice);
    },
  });
}

function passkeyNotice(change: 'added' | 'removed'): NoticeOf {
  return ({ data: { account_id = '', target } }) => ({
    ...{ account_id, isRecipients: true, path: '/account' },
    wordsIn: (texts) => {
      const t = texts.passkeys;
      const happened = t[change];
      return { subject: happened, paragraphs: [t.named({ happened, name: plainName(target.name ?? '') }), t.advice], button: t.button };
    },
  });
}

async function reuseNotice({ org_id, data: { actor, target } }: Audited): Promise<AccountNotice> {
  const organization = plainName((await organizationById(org_id))?.name ?? '');
  const agent = plainName(target.name ?? '');
  return {
    account_id: actor.id,
    // Others can cause it: it must not use up the notices that only the recipient can.
    isRecipients: false,
    path: '/agents',
    wordsIn: (texts) => {
      const t = texts.tokenReused;
      return { subject: t.subject({ agent }), paragraphs: [t.text({ agent, organization }), t.advice], button: t.button };
    },
  };
}

interface AccountNoticeSender {
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The public URL, without a trailing slash. */
  readonly origin: string;
}

interface AccountNotice {
  readonly account_id: string;
  /** True if only the recipient can have caused it. */
  readonly isRecipients: boolean;
  /** Where the mail's button leads. */
  readonly path: string;
  readonly wordsIn: (texts: MailsTexts) => { readonly subject: string; readonly paragraphs: readonly string[]; readonly button: string };
}

/** Mails an account's owner what happened to the account; nobody if it is deleted. */
async function sendAccountNotice(
  { mailer, from, origin }: AccountNoticeSender,
  { id, timestamp }: Pick<EventEnvelope, 'id' | 'timestamp'>,
  { account_id, isRecipients, path, wordsIn }: AccountNotice,
): Promise<void> {
  const account = await accountById(account_id);
  if (account === null || account.deleted_at) return;
  const language = account.language ?? defaultLanguage;
  const { subject, paragraphs, button } = wordsIn(texts[language]);
  const template = { language, paragraphs, link: { label: button, url: `${origin}${path}` } };
  await mailer.send({
    org_id: '',
    purpose: 'notice',
    isRecipients,
    ...(await accountMail(account.email, template, { from, origin })),
    messageId: messageIdFor(id, from),
    date: new Date(timestamp),
    to: { name: account.name ?? account.email, address: account.email },
    subject,
  });
}
