import { consume } from '@webkiln/events';
import type { Mailbox, Mailer } from '@webkiln/mail';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { disabledMail } from './disabled-mail.ts';

const askTimeoutMs = 5_000;
/** Who can do something about it. */
const told: ReadonlySet<string> = new Set(['owner', 'admin']);

interface Parts {
  mailer: Mailer;
  from: Mailbox;
}

/** Mails an organization's owners and admins that we switched a webhook off: at least once, each under one Message-ID. */
export function onWebhookDisabled({ mailer, from }: Parts): void {
  consume({
    name: 'webhooks-on-webhook-disabled',
    types: ['internal.webhook.disabled'],
    atOnce: 2,
    effect: async ({ id, org_id, timestamp, data }) => {
      const caller = callerFor(servicePrincipal('webhooks', org_id), { timeoutMs: askTimeoutMs });
      const { members = [] } = await call('identity.ListMembers', {}, caller);
      for (const member of members.filter(({ role }) => told.has(role))) {
        const addressee = { to: { name: '', address: member.email }, mailId: `${id}.${member.id}` };
        await mailer.send(disabledMail(data, addressee, from, new Date(timestamp)));
      }
    },
  });
}
