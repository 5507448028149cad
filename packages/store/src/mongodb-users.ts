import { randomBytes } from 'node:crypto';
import { type DataServiceName, dataServiceNames, type ServiceName } from '@webkiln/messages';

/** A service with a database, the backup, or `operator`: restores and `webkiln migrate`. */
export type MongodbUser = DataServiceName | 'backup' | 'operator';

export const mongodbUsers: readonly MongodbUser[] = [...dataServiceNames, 'backup', 'operator'];

/** What the command that makes the users has in its environment, by variable: MONGODB_PASSWORD_CLIENTS_PLANS. */
export type MongodbPasswords = Readonly<Record<string, string>>;

export const newMongodbPasswords = (): MongodbPasswords =>
  Object.fromEntries(mongodbUsers.map((user) => [mongodbPasswordVariable(user), randomBytes(24).toString('hex')]));

export const mongodbPasswordVariable = (user: MongodbUser): string => `MONGODB_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** The database of a service. `prefix` is MONGODB_PREFIX. */
export const databaseNameOf = (service: ServiceName, prefix: string): string => `${prefix}_${service.replaceAll('-', '_')}`;

/** The name of a user at the server, on which several platforms may have users. */
const accountOf = (user: MongodbUser, prefix: string) => `${prefix}_${user.replaceAll('-', '_')}`;

interface Role {
  readonly role: string;
  readonly db: string;
}

/** The rights that a user needs, and no others. Migrations run as the user of their service. */
function rolesOf(user: MongodbUser, prefix: string): Role[] {
  const all = dataServiceNames.map((service) => databaseNameOf(service, prefix));
  if (user === 'backup') return all.map((db) => ({ role: 'read', db }));
  // dbAdmin: a restore drops databases.
  if (user === 'operator') return all.flatMap((db) => ['readWrite', 'dbAdmin'].map((role) => ({ role, db })));
  return [{ role: 'readWrite', db: databaseNameOf(user, prefix) }];
}

/** The URL of MongoDB with which a user connects, from a URL with anybody's credentials or none. */
export function mongodbUrlWith(url: string, user: MongodbUser, prefix: string, passwords: MongodbPasswords): string {
  const [address = '', options] = url.split('?');
  const query = new URLSearchParams(options);
  query.delete('authMechanism');
  query.set('authSource', 'admin');
  const credentials = `${accountOf(user, prefix)}:${passwords[mongodbPasswordVariable(user)] ?? ''}@`;
  return `${address.replace(/^(mongodb(?:\+srv)?:\/\/)(?:[^@/]*@)?/, `$1${credentials}`)}?${query}`;
}

/**
 * The URL of the server's own user, for which the content of its key file is the password. It may do everything, and
 * exists before any other user does.
 */
export const keyFileUrl = (address: string, key: string, options: string): string =>
  `mongodb://__system:${key}@${address}/?${options}&authSource=local`;

/** Gives each user its password and the rights of this release, and creates those that are missing. */
export async function makeMongodbUsers(url: string, prefix: string, passwords: MongodbPasswords): Promise<void> {
  // Most who need a URL or a name from here connect to no MongoDB: the driver takes as long to load as a command runs.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 2000 });
  try {
    const admin = client.db('admin');
    const { users } = (await admin.command({ usersInfo: 1 })) as { users: { user: string }[] };
    const present = new Set(users.map(({ user }) => user));
    for (const user of mongodbUsers) {
      const account = accountOf(user, prefix);
      const command = present.has(account) ? 'updateUser' : 'createUser';
      const pwd = passwords[mongodbPasswordVariable(user)];
      await admin.command({ [command]: account, pwd, roles: rolesOf(user, prefix), mechanisms: ['SCRAM-SHA-256'] });
    }
  } finally {
    await client.close();
  }
}
