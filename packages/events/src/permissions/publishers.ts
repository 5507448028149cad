import type { EventType, ProcessName, ServiceName } from '@webkiln/messages';

/** The services whose models raise an event, and which therefore publish it. */
export const publishers: Readonly<Record<EventType, readonly ServiceName[]>> = {
  'client.created': ['clients-plans'],
  'client.updated': ['clients-plans'],
  'project.created': ['projects-templates'],
  'project.published': ['projects-templates'],
  'payment.received': ['clients-plans'],
  'form.submitted': ['sites'],
  'internal.client.invited': ['clients-plans'],
  'internal.billing.notice': ['clients-plans'],
  'internal.billing.currency': ['clients-plans'],
  'internal.report.due': ['analytics'],
  'internal.project.deleted': ['projects-templates'],
  'internal.project.moved': ['projects-templates'],
  'internal.site.changed': ['projects-templates'],
  'internal.form.recipient': ['sites'],
  'internal.submission.deleted': ['sites'],
  'internal.template.deleted': ['projects-templates'],
  'internal.webhook.paused': ['webhooks'],
  'internal.webhook.disabled': ['webhooks'],
  'internal.webhook.deleted': ['webhooks'],
  'internal.key.changed': ['identity'],
  'internal.audited': ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'sites', 'embed'],
  'internal.member.invited': ['identity'],
  'internal.account.mail': ['identity'],
  'internal.organization.changed': ['identity'],
  'internal.organization.erased': ['identity'],
  'internal.session.changed': ['identity'],
  'internal.embed_client.deleted': ['identity'],
  'internal.embed_session.changed': ['embed'],
  'internal.oauth.changed': ['identity'],
};

const orgPolicyChanged = 'internal.organization.changed';

/** The events that processes hear as broadcasts, by `listen`, and not from a stream. */
export const listeners: Readonly<Partial<Record<ProcessName, readonly EventType[]>>> = {
  identity: [orgPolicyChanged],
  'clients-plans': [orgPolicyChanged],
  'projects-templates': [orgPolicyChanged],
  webhooks: [orgPolicyChanged],
  sites: [orgPolicyChanged, 'internal.site.changed'],
  analytics: [orgPolicyChanged, 'internal.site.changed'],
  embed: [orgPolicyChanged],
  gateway: [
    orgPolicyChanged,
    'internal.site.changed',
    'internal.key.changed',
    'internal.session.changed',
    'internal.oauth.changed',
    'internal.embed_session.changed',
  ],
};

/** The processes that look whether identity's heartbeat arrives. */
export const heartbeatListeners: ReadonlySet<ProcessName> = new Set(['gateway', 'sites']);
