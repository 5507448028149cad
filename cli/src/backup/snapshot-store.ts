import { dataServiceNames } from '@webkiln/messages';
import { databaseNameOf } from '@webkiln/store/users';
import mongoose from 'mongoose';
import { OperatorError } from '../operator-error.ts';

const { MongoClient, MongoServerError, MongoServerSelectionError, BSON } = mongoose.mongo;

/** A collection of the platform, as it was listed. */
export interface ListedCollection {
  readonly database: string;
  readonly name: string;
  readonly options: Record<string, unknown>;
}

/** Error codes of MongoDB: the snapshot is older than the history that it keeps; or the collection changed since. */
const snapshotLost = new Set([239, 246]);

/** All collections of one platform at one cluster time: every read of one snapshot session sees the same moment. */
export class Snapshot {
  readonly #client: mongoose.mongo.MongoClient;
  readonly #session: mongoose.mongo.ClientSession;
  readonly #prefix: string;

  constructor(url: string, prefix: string) {
    this.#client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000, socketTimeoutMS: 60_000, readPreference: 'primary' });
    this.#session = this.#client.startSession({ snapshot: true });
    this.#prefix = prefix;
  }

  /**
   * Fixes the moment, and lists what exists then. Throws `OperatorError` if there is nothing, or if collections are
   * being made.
   */
  async open(): Promise<ListedCollection[]> {
    const before = await this.#list().catch((error: unknown) => {
      if (!(error instanceof MongoServerSelectionError)) throw error;
      throw new OperatorError('MongoDB does not answer: is it running, and is MONGODB_URL right?', { cause: error });
    });
    const first = before[0];
    if (first === undefined) throw new OperatorError(`There is no database ${this.#prefix}_*: are MONGODB_URL and MONGODB_PREFIX right?`);
    await this.#client.db(first.database).collection(first.name).findOne({}, { session: this.#session });
    const names = new Set(before.map(nameOf));
    if ((await this.#list()).some((collection) => !names.has(nameOf(collection))))
      throw new OperatorError('Collections were made while the backup began: run it again when all services have started.');
    return before;
  }

  /** The documents of a collection at the moment, as BSON, in batches of bounded size. */
  async *documents({ database, name }: ListedCollection): AsyncGenerator<Buffer> {
    try {
      const found = this.#client.db(database).collection(name).find({}, { session: this.#session, raw: true });
      for await (const document of found) yield document as unknown as Buffer;
    } catch (error) {
      if (!(error instanceof MongoServerError) || !snapshotLost.has(Number(error.code))) throw error;
      throw new OperatorError(
        `MongoDB no longer has ${database}.${name} as it was when the backup began. Raise its parameter minSnapshotHistoryWindowInSeconds above the time that a backup takes, and run it again.`,
        { cause: error },
      );
    }
  }

  /** Options and indexes of a collection in the form of mongodump: canonical Extended JSON. */
  async metadata({ database, name, options }: ListedCollection): Promise<string> {
    const indexes = await this.#client.db(database).collection(name).indexes();
    return BSON.EJSON.stringify({ options, indexes, collectionName: name, type: 'collection' }, { relaxed: false });
  }

  async close(): Promise<void> {
    await this.#session.endSession();
    await this.#client.close();
  }

  async #list(): Promise<ListedCollection[]> {
    const { databases } = await this.#client.db('admin').admin().listDatabases({ nameOnly: true });
    const own = new Set(dataServiceNames.map((service) => databaseNameOf(service, this.#prefix)));
    const ours = databases.map(({ name }) => name).filter((name) => own.has(name));
    const lists = ours.sort().map(async (database) => {
      const found = await this.#client.db(database).listCollections({ type: 'collection' }, { nameOnly: false }).toArray();
      const kept = found.filter(({ name }) => !name.startsWith('system.'));
      return kept
        .map(({ name, options = {} }): ListedCollection => ({ database, name, options }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    });
    return (await Promise.all(lists)).flat();
  }
}

const nameOf = ({ database, name }: ListedCollection) => `${database}.${name}`;
