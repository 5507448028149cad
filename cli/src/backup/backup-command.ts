import path from 'node:path';
import type { Command } from 'commander';
import { portOf } from '../development-platform.ts';
import { print } from '../output.ts';
import { writeBackup } from './write-backup.ts';

/** Adds `backup`. */
export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write all databases as they are at one moment into a new folder; event streams are not in it')
    .requiredOption('--to <folder>', 'the folder, which does not exist yet; it is complete once it has a manifest.json')
    .addHelpText(
      'after',
      `
It needs MONGODB_URL and MONGODB_PREFIX. The folder holds personal data, in the layout of mongodump --gzip: only you may read it.
Event streams are not in it: events that no consumer has handled yet, and views that are not counted yet, are lost if NATS is lost too.`,
    )
    .action(async ({ to }: { to: string }, command: Command) => {
      const { MONGODB_URL, MONGODB_PREFIX = 'webkiln' } = process.env;
      const url = MONGODB_URL ?? `mongodb://127.0.0.1:${portOf('mongodb')}/?directConnection=true`;
      const folder = path.resolve(to);
      const { collections } = await writeBackup(url, MONGODB_PREFIX, folder, (line) => console.error(line));
      print(command, { folder, collections }, () => `Backed up ${collections.length} collections to ${folder}.`);
    });
}
