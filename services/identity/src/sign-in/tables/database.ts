import { type CustomAdapter, createAdapterFactory } from 'better-auth/adapters';
import type { KeyHash } from '../keys/key-secret.ts';
import { credentialTable, userTable } from './account-tables.ts';
import { challengeTable } from './challenge-store.ts';
import { secondFactorTable } from './second-factor-table.ts';
import { sessionTable } from './session-table.ts';
import type { Clause, Row, Table } from './table.ts';

const everything = 1000;

/** What the library keeps, kept by us: accounts stay the one truth about people, and no token is stored. */
export function authDatabase(hashOf: KeyHash) {
  const tables = new Map<string, Table>([
    ['user', userTable],
    ['account', credentialTable],
    ['session', sessionTable(hashOf)],
    ['verification', challengeTable],
    ['twoFactor', secondFactorTable],
  ]);
  const tableOf = (model: string): Table => {
    const table = tables.get(model);
    if (table === undefined) throw new Error(`the library keeps nothing named ${model} here`);
    return table;
  };
  const firstOf = async (model: string, where: readonly Clause[]) => (await tableOf(model).find(where, 1, false))[0] ?? null;
  const byId = ({ _id }: Row): Clause => ({ field: '_id', operator: 'eq', value: _id, connector: 'AND', mode: 'sensitive' });

  /** Its methods are generic in what they return, which nobody can know who keeps records by name. */
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
      (await tableOf(model).find(where, everything, false)).length,
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
    adapter: () => adapter as unknown as CustomAdapter,
  });
}
