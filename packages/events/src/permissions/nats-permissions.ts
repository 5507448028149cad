import { webhookEvents } from '@webkiln/contract';
import { type EventStream, type EventType, eventStreams, type ProcessName, processes, streamOf, subjectOf } from '@webkiln/messages';
import { type ConsumerName, consumerNames, consumerOf } from '../consumers.ts';
import { heartbeatListeners, listeners, publishers } from './publishers.ts';

/** A process that uses NATS, or `webkiln listen`. */
export type NatsUser = ProcessName | 'operator';

/** The subjects that a user may publish to and subscribe to. */
interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export const natsUsers: readonly NatsUser[] = [
  ...(Object.keys(processes) as ProcessName[]).filter((name) => (processes[name].stores as readonly string[]).includes('nats')),
  'operator',
];

/** Where the answers for a user arrive: no other user may subscribe there. */
export const inboxPrefix = (user: string): string => `_INBOX.${user}`;

/** The rights that a user needs, and no others. `prefix` is EVENTS_PREFIX. */
function natsPermissions(user: NatsUser, prefix: string): NatsPermissions {
  const on = (subject: string) => `${prefix}${subject}`;
  const heard = user === 'operator' ? [] : (listeners[user] ?? []);
  const publish = [
    '$JS.API.INFO',
    ...relayed(user).flatMap((type) => [on(subjectOf(type)), ...ensured(on(streamOf(type)))]),
    ...consumerNames.filter((name) => name.startsWith(`${user}-`)).flatMap((name) => durableOf(name, on)),
    ...(further[user]?.(on) ?? []),
  ];
  const subscribe = [
    `${inboxPrefix(user)}.>`,
    ...heard.map((type) => on(subjectOf(type))),
    ...(user !== 'operator' && heartbeatListeners.has(user) ? [on('beat.identity')] : []),
  ];
  return { publish: [...new Set(publish)], subscribe };
}

const relayed = (user: NatsUser) =>
  (Object.keys(publishers) as EventType[]).filter((type) => (publishers[type] as readonly NatsUser[]).includes(user));

type On = (name: string) => string;

/** The rights of users besides relaying events and consuming them with the consumers of the list. */
const further: Readonly<Partial<Record<NatsUser, (on: On) => string[]>>> = {
  gateway: (on) => [
    on('requests.answered'),
    ...ensured(on('REQUESTS')),
    ...ensured(on('TURNS')),
    ...read(on('TURNS')),
    // See `TurnStream.hasRest`.
    `$JS.API.STREAM.MSG.GET.${on('TURNS')}`,
  ],
  identity: (on) => [
    on('beat.identity'),
    ...ensured(on('REQUESTS')),
    ...durable(on('REQUESTS'), 'identity-requests'),
    ...eventStreams.flatMap((stream) => keep(on(stream))),
  ],
  analytics: (on) => [on('views'), ...own(on('VIEWS')), `$KV.${on('VIEWS_salts')}.>`, ...own(`KV_${on('VIEWS_salts')}`)],
  embed: (on) => [on('turns.*'), ...ensured(on('TURNS')), ...read(on('TURNS'))],
  operator: (on) => followed().flatMap((stream) => [`$JS.API.STREAM.INFO.${on(stream)}`, ...read(on(stream))]),
};

const followed = (): readonly EventStream[] => ['EVENTS', ...new Set(webhookEvents.map(streamOf).filter((stream) => stream !== 'EVENTS'))];

/** See `PersistentStream.ensure`. */
const ensured = (stream: string) => ['CREATE', 'UPDATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`);

/** All consumers read EVENTS too: see `Bus.sources`. */
function durableOf(name: ConsumerName, on: On): string[] {
  const streams = new Set<EventStream>(['EVENTS', ...consumerOf(name).types.map(streamOf)]);
  return [...streams].flatMap((stream) => [...ensured(on(stream)), ...durable(on(stream), name)]);
}

const durable = (stream: string, consumer: string) => [
  ...['DURABLE.CREATE', 'INFO', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.${consumer}`),
  `$JS.ACK.${stream}.${consumer}.>`,
];

/** With a consumer that the server forgets. It may ask for every message of the stream. */
const read = (stream: string) => [
  `$JS.API.CONSUMER.CREATE.${stream}`,
  ...['INFO', 'MSG.NEXT', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.*`),
];

/** See `keepStreams`. */
const keep = (stream: string) => [
  ...['STREAM.INFO', 'STREAM.PURGE', 'STREAM.MSG.GET', 'CONSUMER.LIST', 'CONSUMER.CREATE'].map((verb) => `$JS.API.${verb}.${stream}`),
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
];

/** Everything with a stream that no other process uses. */
const own = (stream: string) => [
  ...ensured(stream),
  ...read(stream),
  ...['PURGE', 'MSG.GET', 'MSG.DELETE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
  `$JS.API.DIRECT.GET.${stream}.>`,
];

/** The user with all rights: for backups, restores and those who look after the server. */
export const natsAdministrator = 'administrator';
export type NatsAccount = NatsUser | typeof natsAdministrator;
export const natsAccounts: readonly NatsAccount[] = [...natsUsers, natsAdministrator];

/** The variable of nats-server's environment with a user's password: NATS_PASSWORD_CLIENTS_PLANS. */
export const natsPasswordVariable = (user: NatsAccount): string => `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** All users as nats-server's configuration has them. The server takes the passwords from its environment. */
export const natsServerUsers = (prefix: string): string =>
  natsAuthorization(prefix, (user) => `$${natsPasswordVariable(user)}`, [
    `    { user: ${JSON.stringify(natsAdministrator)}, password: $${natsPasswordVariable(natsAdministrator)} }`,
  ]);

/**
 * The users of a platform as nats-server's configuration has them, one per process. `passwordOf` gives the text of
 * each password: quoted, or the name of a variable of the server's environment. `others` are further users.
 */
export function natsAuthorization(prefix: string, passwordOf: (user: NatsUser) => string, others: readonly string[] = []): string {
  const list = (subjects: readonly string[]) => subjects.map((subject) => `\n          ${JSON.stringify(subject)}`).join('');
  const users = natsUsers.map((user) => {
    const { publish, subscribe } = natsPermissions(user, prefix);
    return `    {
      user: ${JSON.stringify(user)}
      password: ${passwordOf(user)}
      permissions {
        publish: [${list(publish)}
        ]
        subscribe: [${list(subscribe)}
        ]
      }
    }`;
  });
  return `authorization {
  users: [
${[...users, ...others].join('\n')}
  ]
}
`;
}
