import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { backupsIn } from '../backup/dated-backups.ts';
import { Repository } from '../backup/repository.ts';
import { OperatorError } from '../operator-error.ts';
import { print, table } from '../output.ts';
import { type CertificateState, certificatesOf } from './certificates.ts';
import { type BackupState, backlogOf, migrationsDue, problemsOf } from './problems.ts';
import { askProcesses } from './processes.ts';

const defaultPort = 9090;

interface Options {
  readonly byName?: true | number;
  readonly backups?: string;
  readonly maxBackupHours: number;
}

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('say how each part of the platform is, and of all that is not well what to do; exits 1 if something is not well')
    .option('--by-name [port]', `ask each process at its own name and this port (${defaultPort}), as inside its cluster`, wholeNumber)
    .option('--backups <folder|repository>', 'also look at the last backup: where backup --in or --repository wrote to')
    .option('--max-backup-hours <hours>', 'a backup may be this old', wholeNumber, 26)
    .addHelpText('after', help)
    .action(async ({ byName, backups, maxBackupHours }: Options, command: Command) => {
      const processes = await askProcesses(byName === true ? defaultPort : byName);
      const [certificates, backup] = [await certificatesOf(processes), backups === undefined ? null : await lastBackup(backups)];
      const problems = problemsOf(processes, certificates, backup, maxBackupHours);
      const due = migrationsDue(processes);
      const backlog = backlogOf(processes).map(({ rule: { metric }, labels, value }) => ({ metric, labels, value }));
      const answer = {
        ...{ is_well: problems.length === 0, problems, backlog, migrations_due: due, certificates, backup },
        processes: processes.map(({ samples: _, ...process }) => process),
      };
      print(command, answer, () =>
        [
          table(
            ['PROCESS', 'ADDRESS', 'STATE', 'RELEASE'],
            processes.map(({ name, address, state, version }) => [name, address, state, version ?? '-']),
          ),
          '',
          `Backlog: ${backlogText(backlog)}`,
          `Migrations: ${due.length === 0 ? 'none due' : `due for ${due.join(', ')}`}`,
          `Last backup: ${backupText(backup)}`,
          `Certificates: ${certificatesText(certificates)}`,
          '',
          ...(problems.length === 0 ? ['All is well.'] : problems.flatMap(({ what, advice }) => [what, `  → ${advice}`])),
        ].join('\n'),
      );
      if (problems.length > 0) throw new OperatorError(`${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} not well.`);
    });
}

const help = `
It reads /readyz and /metrics of each process: of the platform in DATA_DIR, or with --by-name of one elsewhere, where a setting such as
GATEWAY_INTERNAL_ADDRESS (host:port) may say that a process is at another name. Certificates of processes are in their metrics; those of
ORIGIN, SITES_ORIGIN and PREVIEW_ORIGIN are looked at if the environment has these.`;

async function lastBackup(folder: string): Promise<BackupState> {
  const prefix = process.env.MONGODB_PREFIX ?? 'webkiln';
  const isRepository = /^\w+:/.test(folder);
  const taken = isRepository ? await new Repository(folder, prefix).list() : await backupsIn(folder, prefix);
  return { folder, taken_at: taken.at(-1)?.taken_at ?? null };
}

/** The largest of each kind. */
function backlogText(backlog: readonly { metric: string; value: number }[]): string {
  const most = (metric: string) => Math.max(0, ...backlog.filter((each) => each.metric === metric).map(({ value }) => value));
  const ages = [
    ['events', 'webkiln_stream_unacknowledged_seconds'],
    ['views', 'webkiln_views_behind_seconds'],
    ['webhooks', 'webkiln_webhook_overdue_seconds'],
  ] as const;
  const waits = ages.map(([what, metric]) => `${what} wait ${Math.round(most(metric))} s`);
  const dead = backlog.filter(({ metric }) => metric === 'webkiln_dead_letters').reduce((sum, { value }) => sum + value, 0);
  return `${waits.join(', ')}; ${dead} dead letters`;
}

const backupText = (backup: BackupState | null) =>
  backup === null ? 'not looked at; add --backups <folder>' : (backup.taken_at ?? `none in ${backup.folder}`);

const certificatesText = (certificates: readonly CertificateState[]) =>
  certificates.map(({ of, expires_at, error }) => `${of} ${error ?? `until ${expires_at}`}`).join(', ') || 'none are used here';
