import { dataServiceNames } from '@webkiln/messages';
import { databaseNameOf } from '@webkiln/store/users';
import type { Db, Document, MongoClient } from 'mongodb';

const profile = 'system.profile';
const profileBytes = 64 * 1024 ** 2;

/** Queries of one shape on one collection. */
export interface Plan {
  readonly shape: string;
  readonly index: string;
  /** The field by which a router would find the shard: `org_id`, `_id`, or none. */
  readonly key: string;
  readonly queries: number;
  /** What the query examined that examined most for what it returned. */
  readonly keys: number;
  readonly documents: number;
  readonly returned: number;
}

export const databasesOf = (mongodb: MongoClient): Db[] =>
  dataServiceNames.map((service) => mongodb.db(databaseNameOf(service, 'webkiln')));

/** The plan of every query that the services make during `work`, from MongoDB's profiler. Tests' own are left out. */
export async function plansOf(mongodb: MongoClient, work: () => Promise<unknown>): Promise<Plan[]> {
  const databases = databasesOf(mongodb);
  for (const database of databases) {
    await database.command({ profile: 0 });
    await database.dropCollection(profile).catch(() => undefined);
    await database.createCollection(profile, { capped: true, size: profileBytes });
    await database.command({ profile: 1, filter: { user: { $regex: '^webkiln_' }, planSummary: { $exists: true } } });
  }
  await work();
  const rows: Document[] = [];
  for (const database of databases) {
    await database.command({ profile: 0 });
    rows.push(...(await database.collection(profile).find().toArray()));
  }
  return [...Map.groupBy(rows, shapeOf)].map(([shape, queries]) => worstOf(shape, queries)).sort((a, b) => ratioOf(b) - ratioOf(a));
}

export const ratioOf = ({ keys, documents, returned }: Pick<Plan, 'keys' | 'documents' | 'returned'>): number =>
  Math.max(keys, documents) / Math.max(1, returned);

function worstOf(shape: string, queries: readonly Document[]): Plan {
  const measured = queries.map((query) => ({ query, ...figuresOf(query) })).sort((a, b) => ratioOf(b) - ratioOf(a));
  const [worst = { query: {}, ...figuresOf({}) }] = measured;
  const names = fieldsOf(filterOf(worst.query));
  const key = ['org_id', '_id'].find((name) => names.includes(name)) ?? 'none';
  const { keys, documents, returned } = worst;
  return { shape, index: String((worst.query as Document).planSummary), key, queries: queries.length, keys, documents, returned };
}

const figuresOf = ({ keysExamined = 0, docsExamined = 0, nreturned, nMatched, ndeleted }: Document) => ({
  keys: Number(keysExamined),
  documents: Number(docsExamined),
  returned: Number(nreturned ?? nMatched ?? ndeleted ?? 0),
});

function filterOf({ command = {} }: Document): Document {
  const [first] = command.pipeline ?? [];
  return command.filter ?? command.q ?? command.query ?? first?.$match ?? {};
}

/** The fields of a filter, those below `$and` included. */
const fieldsOf = (filter: Document): string[] =>
  Object.entries(filter).flatMap(([name, value]) => (name === '$and' ? value.flatMap(fieldsOf) : [name]));

function shapeOf(row: Document): string {
  const { ns, op, command = {}, originatingCommand } = row;
  const sent = originatingCommand ?? command;
  const kind = sent.pipeline === undefined ? (op === 'command' ? Object.keys(sent)[0] : op) : 'aggregate';
  const fields = fieldsOf(filterOf({ command: sent }));
  const sort = Object.keys(sent.sort ?? {});
  return `${kind} ${ns.replace('webkiln_', '')} {${fields.join(', ')}}${sort.length > 0 ? ` by ${sort.join(', ')}` : ''}`;
}
