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
export const accountOf = (user: MongodbUser, prefix: string) => `${prefix}_${user.replaceAll('-', '_')}`;

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
