import { bookkeeping } from '../model/indexes.ts';
import { answered } from '../store-errors.ts';

interface Row {
  /** The migration's name, or that of a collection's indexes. */
  readonly _id: string;
  /** Set once it was done for the first time; never removed. */
  readonly finished_at?: Date;
  /** The indexes that are complete. */
  readonly indexes?: readonly string[];
  /** Which run through the documents this is, and the last id that it has dealt with. */
  readonly pass?: number;
  readonly after?: string;
}

const { collection, rows } = bookkeeping<Row>('migrations', []);

/** The migrations that were done in this database, by name. */
export async function finishedMigrations(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await answered('find', { collection }, () =>
    rows()
      .find({ finished_at: { $exists: true } })
      .toArray(),
  );
  return new Map(found.map(({ _id, indexes = [] }) => [_id, indexes]));
}

/** Records that a migration is done; of a collection's indexes, which ones are complete. */
export async function recordFinished(_id: string, indexes: readonly string[] = []): Promise<void> {
  await answered('update', { collection }, () =>
    rows().updateOne({ _id }, { $set: { finished_at: new Date() }, $addToSet: { indexes: { $each: [...indexes] } } }, { upsert: true }),
  );
}

/** Continues the pass that a killed run left, or begins one. Runs at the same time share a pass. */
export async function beginPass(_id: string): Promise<{ readonly number: number; readonly after?: string }> {
  const row = await answered('findAndModify', { collection }, () =>
    rows().findOneAndUpdate({ _id }, { $setOnInsert: { pass: 1 } }, { upsert: true, returnDocument: 'after' }),
  );
  return { number: row?.pass ?? 1, after: row?.after };
}

/** Every document up to `after` is dealt with. A slower run does not move it back, nor into a later pass. */
export async function savePosition(_id: string, pass: number, after: string): Promise<void> {
  await answered('update', { collection }, () => rows().updateOne({ _id, pass }, { $max: { after } }));
}

/** The next run begins at the first document again. */
export async function endPass(_id: string, pass: number): Promise<void> {
  await answered('update', { collection }, () => rows().updateOne({ _id, pass }, { $inc: { pass: 1 }, $unset: { after: true } }));
}
