import { type Mail, type Mailbox, messageIdFor, platformMail } from '@webkiln/mail';
import type { Events } from '@webkiln/messages';

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
export function disabledMail({ webhook_id, url, reason }: Disabled, { org_id, to, mailId }: Recipient, from: Mailbox, date: Date): Mail {
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
