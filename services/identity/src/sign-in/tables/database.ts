import type { SecretList } from '@webkiln/runtime';
import { type CustomAdapter, createAdapterFactory } from 'better-auth/adapters';
import type { KeyHash } from '../../keys/key-secret.ts';
import { recordRefusal } from '../current-request.ts';
import { challengeTable } from './challenge-store.ts';
import { credentialTable } from './credential-table.ts';
import { secondFactorTable } from './second-factor-table.ts';
import { sessionTable } from './session-table.ts';
import type { Clause, Row, Table } from './table.ts';
import { userTable } from './user-table.ts';

const expiresAt = 'expires_at';
const times = { createdAt: 'created_at', updatedAt: 'updated_at' };

/** Our stored names for the sign-in library's fields, where they differ. */
export const fieldNames = {
  user: { emailVerified: 'email_verified', ...times },
  session: { userId: 'account_id', ipAddress: 'ip_prefix', userAgent: 'user_agent', expiresAt, ...times },
  verification: { expiresAt, ...times },
  secondFactor: {
    user: { fields: { twoFactorEnabled: 'two_factor' } },
    twoFactor: {
      fields: {
        userId: 'account_id',
        backupCodes: 'backup_codes',
        failedVerificationCount: 'failed_verification_count',
        lockedUntil: 'locked_until',
      },
    },
  },
};

const maxCounted = 1000;

/**
 * Maps the sign-in library's models to our stores: accounts remain the only record of a person, and no token is stored.
 */
export function authDatabase(hashOf: KeyHash, secrets: SecretList) {
  const tables = new Map<string, Table>([
    ['user', userTable],
    ['account', credentialTable],
    ['session', sessionTable(hashOf)],
    ['verification', challengeTable],
    ['twoFactor', secondFactorTable(secrets)],
  ]);
  const tableOf = (model: string): Table => {
    const table = tables.get(model);
    if (table === undefined) throw new Error(`the sign-in library has no table for ${model}`);
    return table;
  };
  const firstOf = async (model: string, where: readonly Clause[]) => (await tableOf(model).find(where, 1, false))[0] ?? null;
  const byId = ({ _id }: Row): Clause => ({ field: '_id', operator: 'eq', value: _id, connector: 'AND', mode: 'sensitive' });

  // The adapter's return types are generic per model, which tables found by name cannot satisfy; hence the cast below.
  const adapter = {
    create: ({ model, data }: { model: string; data: Row }) => tableOf(model).create(data),
    findOne: ({ model, where }: { model: string; where: Clause[] }) => firstOf(model, where),
    findMany: ({ model, where = [], limit, sortBy }: { model: string; where?: Clause[]; limit: number; sortBy?: { direction: string } }) =>
      tableOf(model).find(where, limit, sortBy?.direction === 'desc'),
    async update({ model, where, update }: { model: string; where: Clause[]; update: Record<string, unknown> }) {
      const found = await firstOf(model, where);
      if (found === null || (await tableOf(model).change([...where, byId(found)], update)) === 0) return null;
      return firstOf(model, [byId(found)]);
    },
    updateMany: ({ model, where, update }: { model: string; where: Clause[]; update: Record<string, unknown> }) =>
      tableOf(model).change(where, update),
    delete: async ({ model, where }: { model: string; where: Clause[] }) => void (await tableOf(model).remove(where)),
    deleteMany: ({ model, where }: { model: string; where: Clause[] }) => tableOf(model).remove(where),
    count: async ({ model, where = [] }: { model: string; where?: Clause[] }) =>
      (await tableOf(model).find(where, maxCounted, false)).length,
  };
  return createAdapterFactory({
    config: {
      adapterId: 'webkiln',
      supportsNumericIds: false,
      supportsUUIDs: true,
      transaction: false,
      mapKeysTransformInput: { id: '_id' },
      mapKeysTransformOutput: { _id: 'id' },
    },
    adapter: () => recordingRefusals(adapter) as unknown as CustomAdapter,
  });
}

type Operations = Readonly<Record<string, (query: never) => Promise<unknown>>>;

/** The library swallows or replaces some errors of its database, so what we refuse is recorded before it sees it. */
const recordingRefusals = (operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (query: never) =>
        operation(query).catch((error: unknown) => {
          recordRefusal(error);
          throw error;
        }),
    ]),
  );
