import type { ServiceName } from '@webkiln/messages';
import { readConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';
import { disconnectStore } from '../connection.ts';
import type { Migration } from './migration.ts';
import { connectStoreOf } from './open-store.ts';
import { missingMigrations, runMigrations } from './run-migrations.ts';

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
