import { knownLanguage, type Language } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { type Mail, type Mailbox, type Mailer, mailConsumption, messageIdFor, platformMail } from '@webkiln/mail';
import { type Events, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { runAtLeastOnce } from '@webkiln/store';
import { texts } from '../texts.ts';

const callTimeoutMs = 5_000;
/** The roles that can change webhooks. */
const notifiedRoles: ReadonlySet<string> = new Set(['owner', 'admin']);

interface Parts {
  mailer: Mailer;
  from: Mailbox;
}

/**
 * Mails an organization's owners and admins that a webhook was disabled: at least once, under one Message-ID per
 * recipient.
 */
export function onWebhookDisabled({ mailer, from }: Parts): void {
  consume({
    ...consumerOf('webhooks-on-webhook-disabled'),
    ...mailConsumption,
    atLeastOnceHandler: async ({ id, org_id, timestamp, data }) => {
      const caller = serviceCaller('webhooks', org_id, callTimeoutMs);
      const { members = [] } = await call('identity.ListMembers', {}, caller);
      for (const member of members.filter(({ role }) => notifiedRoles.has(role))) {
        const mailId = `${id}.${member.id}`;
        const { language } = await call('identity.GetBrand', { recipient: member.email }, caller);
        const addressee = { org_id, to: { name: '', address: member.email }, language: knownLanguage(language), mailId };
        // Each for itself: if one must wait, the others are not sent again.
        await runAtLeastOnce(`webhook-disabled ${mailId}`, () => mailer.send(disabledMail(data, addressee, from, new Date(timestamp))));
      }
    },
  });
}

type Disabled = Events['internal.webhook.disabled'];

interface Recipient {
  readonly org_id: string;
  readonly to: Mailbox;
  readonly language: Language;
  /** Unique per mail and the same on every retry. */
  readonly mailId: string;
}

/** The mail that notifies a member of a disabled webhook; `date` is when it was disabled. */
function disabledMail({ webhook_id: id, url, reason }: Disabled, recipient: Recipient, from: Mailbox, date: Date): Mail {
  const { org_id, to, language, mailId } = recipient;
  const t = texts[language].disabled;
  const paragraphs = [t.happened({ url, id, reason: t.reasons[reason] }), t.advice];
  return {
    org_id,
    purpose: 'webhook',
    ...platformMail(from, { language, paragraphs }),
    messageId: messageIdFor(`webhook-disabled.${mailId}`, from),
    date,
    to,
    subject: t.subject,
  };
}
