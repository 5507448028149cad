import { inboxPrefix, type NatsUser, natsPermissions, natsUsers } from './nats-permissions.ts';

export { inboxPrefix, type NatsUser, natsUsers };

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
