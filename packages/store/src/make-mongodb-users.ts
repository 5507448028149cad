import { dataServiceNames } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import {
  accountOf,
  databaseNameOf,
  type MongodbPasswords,
  type MongodbUser,
  mongodbPasswordVariable,
  mongodbUsers,
} from './mongodb-users.ts';

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

/** Gives each user its password and the rights of this release, and creates those that are missing. */
export async function makeMongodbUsers(url: string, prefix: string, passwords: MongodbPasswords): Promise<void> {
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
