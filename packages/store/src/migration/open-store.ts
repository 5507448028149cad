import type { ServiceName } from '@webkiln/messages';
import { logger, retry } from '@webkiln/runtime';
import { connectStore } from '../connection.ts';
import { databaseNameOf } from '../mongodb-users.ts';
import type { Migration } from './migration.ts';
import { missingMigrations, runMigrations } from './run-migrations.ts';

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
 * Resolves when the connected database has what this release needs. With MIGRATE_AT_START it migrates by itself;
 * otherwise it waits until somebody has run the service's `migrate`.
 */
export async function prepareStore(
  service: ServiceName,
  { MIGRATE_AT_START }: Pick<StoreSettings, 'MIGRATE_AT_START'>,
  { migrations = [], onWaiting, signal }: Waiting = {},
): Promise<void> {
  if (MIGRATE_AT_START) return runMigrations(migrations, (line) => logger.info({ migration: line }, 'migrating the database'));
  const check = async () => {
    const missing = await missingMigrations(migrations);
    if (missing.length > 0) throw new NotMigrated(service, missing);
  };
  const onFailure = (error: unknown) => {
    onWaiting?.(error instanceof Error ? error.message : String(error));
    logger.warn({ err: error }, 'the database is not migrated; looking again');
  };
  await retry(check, { delayMs: pollIntervalMs, onFailure, ...(signal && { signal }) });
}

class NotMigrated extends Error {
  override readonly name = 'NotMigrated';

  constructor(service: ServiceName, missing: readonly string[]) {
    const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : '';
    super(`run \`migrate\` of ${service} (main.js migrate): ${missing.slice(0, maxNamed).join(', ')}${more}`);
  }
}
