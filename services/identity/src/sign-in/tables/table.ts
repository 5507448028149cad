import { type Condition, where } from '@webkiln/store';

/** A record as the sign-in library has it; `_id` is its id. */
export type Row = Record<string, unknown> & { _id: string };

/** One condition of the library: all of them must hold. */
export interface Clause {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
  readonly connector: string;
  readonly mode: string;
}

/** What the library keeps of one kind, behind its own names. */
export interface Table {
  create(row: Row): Promise<Row>;
  find(clauses: readonly Clause[], limit: number, newestFirst: boolean): Promise<Row[]>;
  /** How many were changed. */
  change(clauses: readonly Clause[], changes: Record<string, unknown>): Promise<number>;
  /** How many were removed. */
  remove(clauses: readonly Clause[]): Promise<number>;
}

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

/** The library's conditions as a filter. Throws for one that nothing here has needed yet. */
export function filterOf(clauses: readonly Clause[]): Record<string, Condition<unknown>> {
  const found = new Map<string, Record<string, unknown>>();
  for (const { field, operator, value, connector, mode } of clauses) {
    const named = operators[operator];
    if (named === undefined || connector === 'OR' || mode === 'insensitive')
      throw new Error(`no filter for ${operator} ${connector} ${mode}`);
    const conditions = found.get(field) ?? {};
    const values = operator === 'eq' ? [value] : value;
    conditions[named] = named === '$in' && conditions.$in !== undefined ? both(conditions.$in, values) : values;
    found.set(field, conditions);
  }
  return Object.fromEntries([...found].map(([field, conditions]) => [field, where(conditions)]));
}

const same = (one: unknown) => (other: unknown) =>
  one === other || (one instanceof Date && other instanceof Date && one.getTime() === other.getTime());
const both = (some: unknown, others: unknown) => (some as unknown[]).filter((one) => (others as unknown[]).some(same(one)));

/** The value that a field must equal, where the conditions say so. */
export const equalTo = (clauses: readonly Clause[], field: string): unknown =>
  clauses.find((clause) => clause.field === field && clause.operator === 'eq')?.value;
