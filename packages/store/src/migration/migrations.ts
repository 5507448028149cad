import { database } from '../connection.ts';
import { createIndexes, missingIndexes } from '../model/indexes.ts';
import { bookkeeping, rawModel, upgradedModels, upgradeOf, versionField, versionOf } from '../model/models.ts';
import type { StoreModel, Upgrade } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** Where a migration says what it does, a line at a time. */
export type Report = (line: string) => void;

/**
 * A change of what is stored. It runs while processes of this release and the one before serve, may run several times
 * at once, may be killed anywhere, and runs again at every upgrade: then it finds what processes of the release before
 * wrote meanwhile.
 */
export interface Migration {
  /** Permanent: services look for it to know that the migration is done. */
  readonly name: string;
  run(report: Report): Promise<void>;
}

/** Makes the database what this release needs: indexes, the models' documents, then the service's own migrations. */
export async function runMigrations(migrations: readonly Migration[], report: Report): Promise<void> {
  const stopReporting = reportIndexBuilds(report);
  try {
    await createIndexes(async (collection, indexes) => {
      await recordFinished(indexesOf(collection), indexes);
    }, report);
  } finally {
    stopReporting();
  }
  for (const { name, run } of [...modelMigrations(), ...migrations]) {
    await run(report);
    await recordFinished(name);
  }
}

/** The needs of this release that the database lacks, as sentences; empty when it is migrated. */
export async function missingMigrations(migrations: readonly Migration[]): Promise<string[]> {
  const finished = await finishedMigrations();
  const indexes = await missingIndexes((collection, name) => finished.get(indexesOf(collection))?.includes(name) === true);
  const unfinished = [...modelMigrations(), ...migrations].filter(({ name }) => !finished.has(name));
  return [...indexes.map((index) => `index ${index} is missing`), ...unfinished.map(({ name }) => `migration "${name}" is not done`)];
}

const indexesOf = (collection: string) => `indexes of ${collection}`;

const modelMigrations = (): Migration[] =>
  upgradedModels().map((model) => {
    const { collection, upgrades = [] } = model;
    const name = `${collection} of version ${versionOf(upgrades)}`;
    return { name, run: (report) => upgradeDocuments(model, upgrades, name, report) };
  });

const batchSize = 500;

/**
 * Stores the documents of earlier versions as the present one, in the order of their ids. A run that is killed is
 * continued at its last batch.
 */
async function upgradeDocuments(model: StoreModel, upgrades: readonly Upgrade[], name: string, report: Report): Promise<void> {
  const { collection } = rawModel(model);
  const pass = await beginPass(name);
  const needed = [versionField, ...upgrades.flatMap(({ reads }) => reads)];
  const older = { $or: [{ [versionField]: null }, { [versionField]: { $lt: versionOf(upgrades) } }], deleted_org_id: { $exists: false } };
  let upgraded = 0;
  for (let after = pass.after; ; ) {
    const filter = after === undefined ? older : { ...older, _id: { $gt: after } };
    const found = await answered('find', model, () =>
      collection
        .find(filter as never, { projection: Object.fromEntries(needed.map((field) => [field, 1])), sort: { _id: 1 }, limit: batchSize })
        .toArray(),
    );
    const last = found.at(-1);
    if (last === undefined) break;
    // A document that changed since it was read is left to the next pass; reads upgrade it meanwhile.
    const writes = found.map((document) => ({
      updateOne: {
        filter: { _id: document._id, ...Object.fromEntries(needed.map((field) => [field, document[field] ?? null])) },
        update: { $set: upgradeOf(upgrades, document) },
      },
    }));
    const { modifiedCount } = await answered('bulkWrite', model, () => collection.bulkWrite(writes as never, { ordered: false }));
    upgraded += modifiedCount;
    after = String(last._id);
    await savePosition(name, pass.number, after);
    report(`${model.collection}: ${upgraded} documents are of version ${versionOf(upgrades)} now`);
  }
  await endPass(name, pass.number);
}

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
async function finishedMigrations(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await answered('find', { collection }, () =>
    rows()
      .find({ finished_at: { $exists: true } })
      .toArray(),
  );
  return new Map(found.map(({ _id, indexes = [] }) => [_id, indexes]));
}

/** Records that a migration is done; of a collection's indexes, which ones are complete. */
async function recordFinished(_id: string, indexes: readonly string[] = []): Promise<void> {
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

const intervalMs = 5_000;

interface Build {
  readonly ns?: string;
  readonly msg?: string;
  readonly progress?: { readonly done: number; readonly total: number };
}

/** Reports how far MongoDB's index builds are, every few seconds, until the returned function is called. */
function reportIndexBuilds(report: Report): () => void {
  const timer = setInterval(() => void reportOnce(report), intervalMs);
  return () => clearInterval(timer);
}

async function reportOnce(report: Report): Promise<void> {
  const inThis = new RegExp(`^${database().databaseName}\\.`);
  try {
    const builds = database()
      .admin()
      .command({ currentOp: 1, msg: /^Index Build/, ns: inThis, maxTimeMS: intervalMs });
    for (const { ns, msg, progress } of ((await builds) as { inprog: Build[] }).inprog)
      report(`building an index of ${ns}: ${msg}${progress === undefined ? '' : `, ${progress.done} of ${progress.total}`}`);
  } catch {
    // A user of MongoDB without the right to see operations gets no figures.
    report('still building indexes');
  }
}
