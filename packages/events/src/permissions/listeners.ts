import type { EventType, ProcessName } from '@webkiln/messages';

const standing = 'internal.organization.changed';

/** The events that processes hear as broadcasts, by `listen`, and not from a stream. */
export const listeners: Readonly<Partial<Record<ProcessName, readonly EventType[]>>> = {
  identity: [standing],
  'clients-plans': [standing],
  'projects-templates': [standing],
  webhooks: [standing],
  sites: [standing, 'internal.site.changed'],
  analytics: [standing, 'internal.site.changed'],
  embed: [standing],
  gateway: [
    standing,
    'internal.site.changed',
    'internal.key.changed',
    'internal.session.changed',
    'internal.oauth.changed',
    'internal.embed_session.changed',
  ],
};

/** The processes that look whether identity's heartbeat arrives. */
export const heartbeatListeners: ReadonlySet<ProcessName> = new Set(['gateway', 'sites']);
