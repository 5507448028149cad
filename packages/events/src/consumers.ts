import { webhookEvents } from '@webkiln/contract';
import { type EventStream, type EventType, streamOf } from '@webkiln/messages';

/**
 * Every durable consumer of the platform and the types it handles. A stream is purged only while all of its consumers
 * exist. A name is permanent, because the keys of handled events contain it; a consumer's types only become more.
 */
const consumers = {
  'analytics-erasure': ['internal.organization.erased'],
  'analytics-on-project-deleted': ['internal.project.deleted'],
  'analytics-on-project-moved': ['internal.project.moved'],
  'clients-plans-billing-mail': ['internal.billing.notice', 'payment.received'],
  'clients-plans-erasure': ['internal.organization.erased'],
  'clients-plans-invitation-mail': ['client.created', 'internal.client.invited'],
  'clients-plans-user-access': ['client.updated'],
  'clients-plans-standings': ['internal.organization.changed'],
  'embed-on-client-updated': ['client.updated'],
  'embed-on-embed-client-deleted': ['internal.embed_client.deleted'],
  'embed-on-project-deleted': ['internal.project.deleted'],
  'embed-erasure': ['internal.organization.erased'],
  'embed-standings': ['internal.organization.changed'],
  'identity-account-mail': ['internal.account.mail'],
  'identity-audit': ['internal.audited'],
  'identity-currency': ['internal.billing.currency'],
  'identity-erasure': ['internal.organization.erased'],
  'identity-member-invitation-mail': ['internal.member.invited'],
  'identity-passkey-mail': ['internal.audited'],
  'identity-standings': ['internal.organization.changed'],
  'projects-templates-erasure': ['internal.organization.erased'],
  'projects-templates-on-client-updated': ['client.updated', 'internal.project.moved'],
  'projects-templates-standings': ['internal.organization.changed'],
  'sites-erasure': ['internal.organization.erased'],
  'sites-form-mail': ['form.submitted'],
  'sites-form-recipient': ['internal.form.recipient'],
  'sites-monthly-report': ['internal.report.due'],
  'sites-on-project-deleted': ['internal.project.deleted'],
  'sites-on-project-moved': ['internal.project.moved'],
  'sites-on-site-changed': ['internal.site.changed'],
  'sites-standings': ['internal.organization.changed'],
  'webhooks-dispatch': webhookEvents,
  'webhooks-erasure': ['internal.organization.erased'],
  'webhooks-on-webhook-deleted': ['internal.webhook.deleted'],
  'webhooks-on-webhook-disabled': ['internal.webhook.disabled'],
  'webhooks-on-webhook-stopped': ['internal.webhook.paused', 'internal.webhook.disabled'],
  'webhooks-standings': ['internal.organization.changed'],
} as const satisfies Readonly<Record<string, readonly EventType[]>>;

/** Consumers of earlier releases. They may still be on the server, and hold nothing back. */
export const retiredConsumers: ReadonlySet<string> = new Set(['projects-templates-on-project-deleted']);

export type ConsumerName = keyof typeof consumers;

export const consumerNames = Object.keys(consumers) as ConsumerName[];

/** The consumer's name and types, for `consume`. */
export const consumerOf = <N extends ConsumerName>(name: N) => ({ name, types: consumers[name] }) as const;

/** The consumers whose events are published on a stream. */
export const consumersOf = (stream: EventStream): readonly string[] =>
  consumerNames.filter((name) => consumers[name].some((type) => streamOf(type) === stream));
