import { consume } from '@webkiln/events';
import type { Mailbox, Mailer } from '@webkiln/mail';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
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
    name: 'webhooks-on-webhook-disabled',
    types: ['internal.webhook.disabled'],
    concurrency: 2,
    transactionalHandler: async ({ id, org_id, timestamp, data }) => {
      const caller = callerFor(servicePrincipal('webhooks', org_id), { timeoutMs: callTimeoutMs });
      const { members = [] } = await call('identity.ListMembers', {}, caller);
      for (const member of members.filter(({ role }) => notifiedRoles.has(role))) {
        const addressee = { to: { name: '', address: member.email }, mailId: `${id}.${member.id}` };
        await mailer.send(disabledMail(data, addressee, from, new Date(timestamp)));
      }
    },
  });
}
