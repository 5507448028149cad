import { type GlobalModel, unscoped } from '@webkiln/store';
import { filterOf, type Row, type Table } from './table.ts';

/** Records that are what the library makes them. */
export const plainTable = <Doc>(model: GlobalModel<Doc>): Table => {
  const rows = () => unscoped(model as GlobalModel<Record<string, unknown>>);
  return {
    async create(row) {
      await rows().insert(row);
      return row;
    },
    find: async (clauses, limit, newestFirst) =>
      (await rows().find(filterOf(clauses), { limit, ...(newestFirst && { sort: { created_at: -1 } }) })) as Row[],
    change: async (clauses, changes) => (await rows().updateMany(filterOf(clauses), { $set: changes })).matchedCount,
    remove: async (clauses) => (await rows().deleteMany(filterOf(clauses))).deletedCount,
  };
};
