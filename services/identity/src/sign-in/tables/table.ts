import { type Condition, type GlobalModel, unscoped, where } from '@webkiln/store';

/** A record in the sign-in library's terms, with our name for its id. */
export type Row = Record<string, unknown> & { _id: string };

/** One condition of a library query; conditions are combined with AND. */
export interface Clause {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
  readonly connector: string;
  readonly mode: string;
}

/** The storage behind one of the library's models. */
export interface Table {
  create(row: Row): Promise<Row>;
  find(clauses: readonly Clause[], limit: number, newestFirst: boolean): Promise<Row[]>;
  /** Returns how many records matched. */
  change(clauses: readonly Clause[], changes: Record<string, unknown>): Promise<number>;
  /** Returns how many records were removed. */
  remove(clauses: readonly Clause[]): Promise<number>;
}

/** A table that stores rows unchanged. */
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

const operators: Readonly<Record<string, string>> = {
  eq: '$in',
  in: '$in',
  ne: '$ne',
  lt: '$lt',
  lte: '$lte',
  gt: '$gt',
  gte: '$gte',
  not_in: '$nin',
};

/**
 * Converts the library's conditions to a MongoDB filter. Throws for unsupported conditions, which the library does not
 * send today.
 */
export function filterOf(clauses: readonly Clause[]): Record<string, Condition<unknown>> {
  const byField = new Map<string, Record<string, unknown>>();
  for (const { field, operator, value, connector, mode } of clauses) {
    const mongoOperator = operators[operator];
    if (mongoOperator === undefined || connector === 'OR' || mode === 'insensitive')
      throw new Error(`no filter for ${operator} ${connector} ${mode}`);
    const conditions = byField.get(field) ?? {};
    const values = operator === 'eq' ? [value] : value;
    conditions[mongoOperator] = mongoOperator === '$in' && conditions.$in !== undefined ? intersection(conditions.$in, values) : values;
    byField.set(field, conditions);
  }
  return Object.fromEntries([...byField].map(([field, conditions]) => [field, where(conditions)]));
}

const isSame = (one: unknown) => (other: unknown) =>
  one === other || (one instanceof Date && other instanceof Date && one.getTime() === other.getTime());
const intersection = (some: unknown, others: unknown) => (some as unknown[]).filter((one) => (others as unknown[]).some(isSame(one)));

/** The value that the conditions require of a field; undefined without an `eq` condition. */
export const equalTo = (clauses: readonly Clause[], field: string): unknown =>
  clauses.find((clause) => clause.field === field && clause.operator === 'eq')?.value;
