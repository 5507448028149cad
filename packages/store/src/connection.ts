import { logger, retry } from '@webkiln/runtime';
import mongoose from 'mongoose';
import { answered, isUnreached, limitOperations } from './store-errors.ts';

const retryDelayMs = 500;
/** The users of a new MongoDB may be made later than the first service starts. */
const authenticationFailed = 18;
const longestTimerMs = 2 ** 31 - 1;

/** Timeouts of an operation: for a pooled connection, for a server, to connect, for a response. */
const timeouts = { waitQueueTimeoutMS: 2_000, serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };

/**
 * Connects mongoose's default connection and waits while MongoDB is unreachable: a service that starts first is not
 * ready, not broken. A majority acknowledges every write, on disk. An operation waits at most 2 s for a server and 10 s
 * for a response, and ends after 20 s, unless `changed` sets other limits.
 */
export async function connectStore(url: string, databaseName: string, changed: Partial<typeof timeouts> = {}): Promise<void> {
  mongoose.set({ bufferCommands: false, autoIndex: false, autoCreate: false });
  const connect = () =>
    mongoose.connect(url, {
      dbName: databaseName,
      writeConcern: { w: 'majority', j: true },
      readConcern: { level: 'majority' },
      retryWrites: true,
      retryReads: true,
      ignoreUndefined: true,
      maxPoolSize: 20,
      ...timeouts,
      ...changed,
    });
  limitOperations(operationLimitMs({ ...timeouts, ...changed }));
  await retry(connect, { isRetryable: isUnreachable, delayMs: retryDelayMs });
}

/** The driver repeats an operation once. Without a socket timeout, as for an index, there is no limit. */
const operationLimitMs = ({ socketTimeoutMS }: typeof timeouts): number => (socketTimeoutMS === 0 ? longestTimerMs : 2 * socketTimeoutMS);

function isUnreachable(error: unknown): boolean {
  const isRefused = error instanceof mongoose.mongo.MongoServerError && error.code === authenticationFailed;
  if (!isRefused && !isUnreached(error) && !(error instanceof mongoose.Error.MongooseServerSelectionError)) return false;
  logger.warn(
    { err: error },
    isRefused ? 'MongoDB does not know the user or password; connecting again' : 'MongoDB is unreachable; connecting again',
  );
  return true;
}

const lastWrites: (() => Promise<unknown>)[] = [];

/** Has `write` run before the store is disconnected: of what waits for others to be written with. */
export function beforeDisconnect(write: () => Promise<unknown>): void {
  lastWrites.push(write);
}

export async function disconnectStore(): Promise<void> {
  await Promise.allSettled(lastWrites.map((write) => write()));
  await mongoose.disconnect();
}

/** For readiness: throws `unavailable` when MongoDB does not answer. */
export async function storeCheck(): Promise<void> {
  await answered('ping', { collection: '' }, async () => database().command({ ping: 1 }));
}

/** The service's own database. */
export function database(): mongoose.mongo.Db {
  const { db } = mongoose.connection;
  if (db === undefined) throw new mongoose.mongo.MongoNotConnectedError('connectStore comes first');
  return db;
}
