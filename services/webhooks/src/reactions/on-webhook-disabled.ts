import { consume, consumerOf } from '@webkiln/events';
import { type Mail, type Mailbox, type Mailer, mailConsumption, messageIdFor, platformMail } from '@webkiln/mail';
import { callerFor, type Events, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { runAtLeastOnce } from '@webkiln/store';

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
      const caller = callerFor(servicePrincipal('webhooks', org_id), { timeoutMs: callTimeoutMs });
      const { members = [] } = await call('identity.ListMembers', {}, caller);
      for (const member of members.filter(({ role }) => notifiedRoles.has(role))) {
        const mailId = `${id}.${member.id}`;
        const addressee = { org_id, to: { name: '', address: member.email }, mailId };
        // Each for itself: if one must wait, the others are not sent again.
        await runAtLeastOnce(`webhook-disabled ${mailId}`, () => mailer.send(disabledMail(data, addressee, from, new Date(timestamp))));
      }
    },
  });
}

type Disabled = Events['internal.webhook.disabled'];

const reasons: Record<Disabled['reason'], string> = {
  gone: 'Its receiver answered 410 (gone), which says that it wants no more events.',
  failing: 'Every attempt to deliver to it has failed for days.',
};

interface Recipient {
  readonly org_id: string;
  readonly to: Mailbox;
  /** Unique per mail and the same on every retry. */
  readonly mailId: string;
}

/** The mail that notifies a member of a disabled webhook; `date` is when it was disabled. */
function disabledMail({ webhook_id, url, reason }: Disabled, { org_id, to, mailId }: Recipient, from: Mailbox, date: Date): Mail {
  const paragraphs = [
    `your webhook ${url} (${webhook_id}) was switched off. ${reasons[reason]}`,
    'Nothing was lost: events for it are kept as skipped. When the receiver works again, switch the webhook on (PATCH /webhooks/{id} with "is_active": true) and ask for a replay (POST /webhooks/{id}/replay) of what it missed.',
  ];
  return {
    org_id,
    purpose: 'webhook',
    ...platformMail(from, { greeting: 'Hello,', paragraphs }),
    messageId: messageIdFor(`webhook-disabled.${mailId}`, from),
    date,
    to,
    subject: 'A webhook was switched off',
  };
}
