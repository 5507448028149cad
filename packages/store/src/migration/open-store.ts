import { AppError } from '@webkiln/contract';
import type { ServiceName } from '@webkiln/messages';
import { logger, readConfig, retry, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';
import { connectStore, disconnectStore } from '../connection.ts';
import { refuseMoreCollections } from '../model/indexes.ts';
import { databaseNameOf } from '../mongodb-users.ts';
import { type Migration, missingMigrations, runMigrations } from './migrations.ts';

const pollIntervalMs = 2_000;
const maxNamed = 3;

interface StoreSettings {
  readonly MONGODB_URL: string;
  readonly MONGODB_PREFIX: string;
  readonly MIGRATE_AT_START: boolean;
}

interface Waiting {
  readonly migrations?: readonly Migration[];
  /** Told why the store cannot be used yet, for as long as that lasts. */
  readonly onWaiting?: (reason: string) => void;
  readonly signal?: AbortSignal;
}

/** Connects a service's own database, as `connectStore` does. */
export const connectStoreOf = (service: ServiceName, settings: StoreSettings, changed?: Parameters<typeof connectStore>[2]) =>
  connectStore(settings.MONGODB_URL, databaseNameOf(service, settings.MONGODB_PREFIX), changed);

/**
 * Resolves when the connected database has what this release needs. With MIGRATE_AT_START it migrates by itself, again
 * while MongoDB does not answer; otherwise it waits until somebody has run the service's `migrate`.
 */
export async function prepareStore(
  service: ServiceName,
  { MIGRATE_AT_START }: Pick<StoreSettings, 'MIGRATE_AT_START'>,
  { migrations = [], onWaiting, signal }: Waiting = {},
): Promise<void> {
  refuseMoreCollections();
  const waits = (what: string) => ({
    delayMs: pollIntervalMs,
    onFailure(error: unknown) {
      onWaiting?.(error instanceof Error ? error.message : String(error));
      logger.warn({ err: error }, what);
    },
    ...(signal && { signal }),
  });
  if (MIGRATE_AT_START) {
    const migrate = () => runMigrations(migrations, (line) => logger.info({ migration: line }, 'migrating the database'));
    return retry(migrate, { ...waits('MongoDB does not answer in time; migrating again'), isRetryable: passes });
  }
  const check = async () => {
    const missing = await missingMigrations(migrations);
    if (missing.length > 0) throw new NotMigrated(service, missing);
  };
  await retry(check, waits('the database is not migrated; looking again'));
}

/** A service that starts while MongoDB is away or overloaded is not ready, not broken. */
const passes = (error: unknown): boolean => error instanceof AppError && error.status === 503;

class NotMigrated extends Error {
  override readonly name = 'NotMigrated';

  constructor(service: ServiceName, missing: readonly string[]) {
    const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : '';
    super(`run \`migrate\` of ${service} (main.js migrate): ${missing.slice(0, maxNamed).join(', ')}${more}`);
  }
}

const exitCodes = { done: 0, missing: 1, usage: 2 } as const;

const help = (service: ServiceName) => `main.js migrate [--check]

Makes the database of ${service} what this release needs: creates indexes and changes stored documents. The release
before may run meanwhile. It may be stopped at any time and run again, also several times at once.

  --check   changes nothing; exits 1 and lists what is missing

Reads MONGODB_URL and MONGODB_PREFIX. Exits 0 when done, 1 when it failed, 2 when called wrongly.`;

/** The `migrate` of a service's program: prints what it does and returns the exit code. */
export const migrateCommand =
  (service: ServiceName, migrations: readonly Migration[] = []) =>
  async (words: readonly string[]): Promise<number> => {
    const print = (text: string) => process.stdout.write(`${text}\n`);
    const report = (line: string) => print(`${service}: ${line}`);
    if (words.some((word) => word !== '--check')) {
      print(help(service));
      return words.includes('--help') ? exitCodes.done : exitCodes.usage;
    }
    // A large collection's index takes as long as it takes.
    await connectStoreOf(service, readConfig(z.object(storeConfig)), { socketTimeoutMS: 0 });
    try {
      if (!words.includes('--check')) await runMigrations(migrations, report);
      const missing = await missingMigrations(migrations);
      for (const line of missing) report(line);
      if (missing.length === 0) report('the database is migrated');
      return missing.length === 0 ? exitCodes.done : exitCodes.missing;
    } finally {
      await disconnectStore();
    }
  };
