import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import mongoose from 'mongoose';
import { answered } from './store-errors.ts';

const retryWaitMs = 500;

/**
 * Connects mongoose's default connection and waits as long as MongoDB is away: a service that starts first is not ready, not broken.
 * Every write is acknowledged by a majority and on disk; no operation waits longer than 2 s for a server or 10 s for an answer.
 */
export async function connectStore(url: string, databaseName: string): Promise<void> {
  mongoose.set({ bufferCommands: false, autoIndex: false, autoCreate: false });
  for (;;) {
    try {
      await mongoose.connect(url, {
        dbName: databaseName,
        writeConcern: { w: 'majority', j: true },
        readConcern: { level: 'majority' },
        retryWrites: true,
        retryReads: true,
        ignoreUndefined: true,
        maxPoolSize: 20,
        waitQueueTimeoutMS: 2_000,
        serverSelectionTimeoutMS: 2_000,
        connectTimeoutMS: 2_000,
        heartbeatFrequencyMS: 1_000,
        socketTimeoutMS: 10_000,
      });
      return;
    } catch (error) {
      if (!(error instanceof mongoose.Error.MongooseServerSelectionError)) throw error;
      logger.warn({ err: error }, 'MongoDB is away');
      await pause(retryWaitMs);
    }
  }
}

export async function disconnectStore(): Promise<void> {
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
