import path from 'node:path';
import { StreamArchive } from '@webkiln/events/archive';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { mongodbUrlOf, portOf } from '../development/development-platform.ts';
import { OperatorError } from '../operator-error.ts';
import { print } from '../output.ts';
import { backupsIn, datedName, removeOlderBackups, removeUnfinishedBackups } from './dated-backups.ts';
import { Repository } from './repository.ts';

const environment = `
It needs MONGODB_URL, MONGODB_PREFIX, NATS_URL and EVENTS_PREFIX as the services have them, and their secrets KEY_PEPPER, AUTH_SECRET,
INVITATION_SECRET, PREVIEW_SECRET and WEBHOOK_SECRET_KEYS, of which a backup has fingerprints only. Instead of the secrets it takes
SECRET_FINGERPRINTS_FILE, which "secrets fingerprints" writes. For a repository: restic on the PATH (or RESTIC_PATH), RESTIC_PASSWORD_FILE or
RESTIC_PASSWORD, and what restic needs for the store, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;

/** Adds `backup`, `backups` and `restore`, which alone load the drivers of the stores. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write all databases as they are at one moment, and the events that wait then, into a new folder')
    .option('--to <folder>', 'the folder, which does not exist yet; it is complete once it has a manifest.json')
    .addOption(new Option('--in <folder>', 'a folder of backups: this one is named by date and time (UTC) there').conflicts('to'))
    .option('--keep <number>', 'with --in: once it is complete, remove all but so many of the last complete ones', count)
    .addOption(repositoryOption('also send it there, and keep as many there'))
    .addHelpText('after', `${environment}\nThe folder holds personal data, in the layout of mongodump --gzip: only you may read it.`)
    .action(async ({ to, in: parent, keep, repository: url }: BackupOptions, command: Command) => {
      if (to === undefined && parent === undefined) command.error('It takes --to <folder> or --in <folder>.');
      if (keep !== undefined && parent === undefined) command.error('--keep removes backups of a folder of backups: it needs --in.');
      if (parent !== undefined) await reportRemoved(removeUnfinishedBackups(parent, prefix()));
      const repository = url === undefined ? undefined : new Repository(url, prefix());
      const { writeBackup } = await import('./write-backup.ts');
      const folder = path.resolve(to ?? path.join(parent ?? '', datedName(new Date())));
      const { collections, streams } = await withStores('backup', ({ url, archive }) =>
        writeBackup({ url, prefix: prefix(), archive }, folder, report),
      );
      if (parent !== undefined && keep !== undefined) {
        await reportRemoved(removeOlderBackups(parent, prefix(), path.basename(folder), keep));
      }
      await repository?.send(folder, keep).catch((error: Error) => {
        throw new OperatorError(`The backup is in ${folder}, but not in ${url}: ${error.message}`, { cause: error });
      });
      print(command, { folder, collections, streams }, () => `Backed up ${collections.length} collections to ${folder}.`);
    });
  program
    .command('backups')
    .description('list the complete backups below a folder or in a repository, oldest first')
    .option('--in <folder>', 'what backup --in wrote to')
    .addOption(repositoryOption('those there').conflicts('in'))
    .action(async ({ in: parent, repository }: { in?: string; repository?: string }, command: Command) => {
      if (parent === undefined && repository === undefined) command.error('It takes --in <folder> or --repository <url>.');
      const backups =
        repository === undefined ? await backupsIn(parent ?? '', prefix()) : await new Repository(repository, prefix()).list();
      print(command, backups, () => backups.map(({ name }) => name).join('\n') || 'There are none.');
    });
  program
    .command('restore')
    .description('restore a backup into empty stores, while no service runs')
    .requiredOption('--from <folder>', 'what backup wrote; with --repository its name, or latest')
    .addOption(repositoryOption('the backup is there'))
    .option('--replace', 'drop the databases of the platform and its events first')
    .option('--confirm <prefix>', 'the prefix of the databases, for --replace')
    .option('--without-secrets-check', 'restore although secrets differ; what they protect is lost')
    .addHelpText(
      'after',
      `${environment}\nStop all services first. What they did after the backup is gone; docs/backup.md says what is sent again.`,
    )
    .action(async (options: RestoreOptions, command: Command) => {
      const { from, replace = false, confirm } = options;
      if (replace && confirm !== prefix()) throw new OperatorError(`--replace drops databases: add --confirm ${prefix()}.`);
      const { restoreBackup } = await import('./read-backup.ts');
      const checksSecrets = options.withoutSecretsCheck !== true;
      const restoreFrom = (folder: string) =>
        withStores('operator', (stores) => restoreBackup(folder, { ...stores, replace, checksSecrets }, report));
      const { taken_at, collections, streams } =
        options.repository === undefined
          ? await restoreFrom(path.resolve(from))
          : await new Repository(options.repository, prefix()).withBackup(from, restoreFrom);
      const events = streams.reduce((sum, { messages }) => sum + messages, 0);
      print(command, { taken_at, collections, streams }, () => restored(taken_at, collections.length, events));
    });
}

const repositoryOption = (meaning: string) =>
  new Option('--repository <url>', `a repository of restic, as in s3:https://s3.example.com/bucket/webkiln: ${meaning}`);

interface BackupOptions {
  readonly to?: string;
  readonly in?: string;
  readonly keep?: number;
  readonly repository?: string;
}

interface RestoreOptions {
  readonly from: string;
  readonly repository?: string;
  readonly replace?: true;
  readonly confirm?: string;
  readonly withoutSecretsCheck?: true;
}

const prefix = () => process.env.MONGODB_PREFIX ?? 'webkiln';

/** A failed removal does not fail the command: a retry would write one more backup to a disk that fills. */
async function reportRemoved(names: Promise<string[]>): Promise<void> {
  try {
    for (const name of await names) report(`${name}: removed`);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    report(`Earlier backups could not be removed: ${(error as Error).message}. Remove them by hand.`);
  }
}

const restored = (takenAt: string, collections: number, events: number) => `Restored ${collections} collections as of ${takenAt}.
Start the services now. They handle ${events} events again: webhooks that were delivered after the backup arrive again with the same
webhook-id, and mails may be sent again. Run \`org erase\` and \`account delete\` again for what was erased since.`;

async function withStores<T>(
  user: 'backup' | 'operator',
  work: (stores: { url: string; archive: StreamArchive }) => Promise<T>,
): Promise<T> {
  const { MONGODB_URL, NATS_URL, EVENTS_PREFIX = '' } = process.env;
  const url = MONGODB_URL ?? mongodbUrlOf(user);
  const nats = NATS_URL ?? `nats://127.0.0.1:${portOf('nats')}`;
  const archive = await StreamArchive.open(nats, EVENTS_PREFIX).catch((error: unknown) => {
    throw new OperatorError(`NATS does not answer at ${new URL(nats).host}: is it running?`, { cause: error });
  });
  try {
    return await work({ url, archive });
  } finally {
    await archive.close();
  }
}

const report = (line: string) => console.error(line);

function count(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It keeps at least one.');
  return number;
}
