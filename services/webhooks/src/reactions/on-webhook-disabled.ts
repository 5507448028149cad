import { consume, consumerOf } from '@webkiln/events';
import { type Mailbox, type Mailer, mailConsumption } from '@webkiln/mail';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { runAtLeastOnce } from '@webkiln/store';
import { disabledMail } from './disabled-mail.ts';

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
