import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import { OperatorError } from '../operator-error.ts';
import { Checksum } from './checksum.ts';

const { MongoClient, BSON } = mongoose.mongo;
const batchDocuments = 1_000;
const batchBytes = 8 * 1024 * 1024;
/** Keeps the exact types of numbers and binary data. */
const exactly = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

interface Metadata {
  readonly options: mongoose.mongo.CreateCollectionOptions;
  readonly indexes: readonly { readonly name: string }[];
}

/** The databases that a backup is restored into. */
export class RestoreStore {
  readonly #client: mongoose.mongo.MongoClient;

  constructor(url: string) {
    this.#client = new MongoClient(url, {
      serverSelectionTimeoutMS: 5_000,
      socketTimeoutMS: 600_000,
      writeConcern: { w: 'majority', j: true },
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** The given databases that exist. Throws `OperatorError` if MongoDB does not answer. */
  async present(names: readonly string[]): Promise<string[]> {
    const listed = await this.#client
      .db('admin')
      .admin()
      .listDatabases({ nameOnly: true })
      .catch((error: unknown) => {
        throw new OperatorError('MongoDB does not answer: is it running, and is MONGODB_URL right?', { cause: error });
      });
    return listed.databases.map(({ name }) => name).filter((name) => names.includes(name));
  }

  async drop(database: string): Promise<void> {
    await this.#client.db(database).dropDatabase();
  }

  /** Creates a collection with its documents, without indexes. `metadata`: Extended JSON, as mongodump writes it. */
  async write(database: string, collection: string, documents: AsyncIterable<Buffer>, metadata: string): Promise<void> {
    const { options } = BSON.EJSON.parse(metadata) as Metadata;
    const target = await this.#client.db(database).createCollection(collection, options);
    let batch: mongoose.mongo.BSON.Document[] = [];
    let bytes = 0;
    const flush = async () => {
      if (batch.length > 0) await target.insertMany(batch, { ordered: true });
      batch = [];
      bytes = 0;
    };
    for await (const document of documents) {
      batch.push(BSON.deserialize(document, exactly));
      bytes += document.length;
      if (batch.length === batchDocuments || bytes > batchBytes) await flush();
    }
    await flush();
  }

  /** Creates the indexes of the metadata. From then on MongoDB deletes what has expired since the backup. */
  async createIndexes(database: string, collection: string, metadata: string): Promise<void> {
    const { indexes } = BSON.EJSON.parse(metadata) as Metadata;
    const own = indexes.filter(({ name }) => name !== '_id_');
    if (own.length > 0) await this.#client.db(database).command({ createIndexes: collection, indexes: own });
  }

  /** Number and checksum of the documents that are stored. */
  async checksum(database: string, collection: string): Promise<Checksum> {
    const checksum = new Checksum();
    const found = this.#client.db(database).collection(collection).find({}, { raw: true, readConcern: 'majority' });
    for await (const document of found)
      checksum.add(
        createHash('sha256')
          .update(document as unknown as Buffer)
          .digest('hex'),
      );
    return checksum;
  }
}
