import type { CertificateState } from './certificates.ts';
import type { ProcessState, Sample } from './processes.ts';

/** Something that is not well, and what to do. */
export interface Problem {
  readonly what: string;
  readonly advice: string;
}

/** The newest backup, if a folder of backups was named. */
export interface BackupState {
  readonly folder: string;
  readonly taken_at: string | null;
}

const hourMs = 3_600_000;
const certificateDays = 14;

export const problemsOf = (
  processes: readonly ProcessState[],
  certificates: readonly CertificateState[],
  backup: BackupState | null,
  maxBackupHours: number,
): Problem[] => [
  ...processes.flatMap(problemsOfProcess),
  ...releaseProblems(processes),
  ...backlogOf(processes).flatMap(({ rule, labels, value }) =>
    isTooMuch(rule, value) ? [{ what: rule.says(labels, value), advice: rule.advice }] : [],
  ),
  ...certificates.flatMap(problemsOfCertificate),
  ...(backup === null ? [] : problemsOfBackup(backup, maxBackupHours)),
];

const needsMigration = (reason: string) => reason.startsWith('run `migrate`');

/** The services whose database waits for `migrate`. */
export const migrationsDue = (processes: readonly ProcessState[]): string[] => [
  ...new Set(processes.filter(({ reasons }) => reasons.some(needsMigration)).map(({ name }) => name)),
];

function problemsOfProcess({ name, address, state, reasons }: ProcessState): Problem[] {
  if (state === 'unreachable')
    return [{ what: `${name} does not answer at ${address}.`, advice: 'Is it running? Its last log lines say why it ended.' }];
  return reasons.map((reason) => ({
    what: `${name} at ${address} is not ready: ${reason}`,
    advice: needsMigration(reason) ? `webkiln migrate --service ${name}` : 'It goes on by itself once that is mended; its log says more.',
  }));
}

function releaseProblems(processes: readonly ProcessState[]): Problem[] {
  const versions = [...new Set(processes.flatMap(({ version }) => version ?? []))].toSorted();
  if (versions.length < 2) return [];
  return [
    { what: `Processes of several releases run: ${versions.join(', ')}.`, advice: 'Finish the upgrade, or go back: docs/upgrades.md.' },
  ];
}

interface Rule {
  readonly metric: string;
  /** A problem is a value above it. */
  readonly max: number;
  readonly says: (labels: Sample['labels'], value: number) => string;
  readonly advice: string;
}

const seconds = (value: number) => `${Math.round(value)} s`;

/** What waits, at the limits of the alerts of the same metrics (deploy/charts/webkiln/files/alerts.yaml). */
const rules: readonly Rule[] = [
  {
    metric: 'webkiln_stream_unacknowledged_seconds',
    max: 600,
    says: ({ stream, consumer }, value) => `Events of ${stream} have waited ${seconds(value)} for ${consumer}.`,
    advice: "See the log of the consumer's service; events that it cannot handle become dead letters.",
  },
  {
    metric: 'webkiln_dead_letters',
    max: 0,
    says: ({ consumer }, value) => `${value} messages of ${consumer} were set aside.`,
    advice: '`webkiln dead-letters list` says why; once the cause is mended, `dead-letters replay` handles them.',
  },
  {
    metric: 'webkiln_stream_used_ratio',
    max: 0.7,
    says: ({ stream }, value) => `Stream ${stream} is ${Math.round(value * 100)} % full.`,
    advice: 'A consumer is behind: see above. Full, events wait in their outboxes and views are refused.',
  },
  {
    metric: 'webkiln_views_behind_seconds',
    max: 300,
    says: ({ partition }, value) => `Views of partition ${partition} have waited ${seconds(value)} to be counted.`,
    advice: 'Add a replica of analytics, up to ANALYTICS_PARTITIONS; its log says what it waits for.',
  },
  {
    metric: 'webkiln_webhook_overdue_seconds',
    max: 600,
    says: (_labels, value) => `The oldest delivery of a webhook has been due for ${seconds(value)}.`,
    advice: 'docs/operations.md, "When deliveries pile up".',
  },
];

const isTooMuch = ({ max }: Rule, value: number) => value > max;

/** The largest value of each metric and its labels, whichever process shows it. */
export function backlogOf(processes: readonly ProcessState[]): { rule: Rule; labels: Sample['labels']; value: number }[] {
  const samples = processes.flatMap((process) => process.samples);
  return rules.flatMap((rule) => {
    const of = Map.groupBy(
      samples.filter(({ metric }) => metric === rule.metric),
      ({ labels }) => JSON.stringify(labels),
    );
    return [...of.values()].map((same) => ({ rule, labels: same[0]?.labels ?? {}, value: Math.max(...same.map(({ value }) => value)) }));
  });
}

function problemsOfCertificate({ of, expires_at, error }: CertificateState): Problem[] {
  if (error !== null) return [{ what: `The certificate of ${of} is not accepted: ${error}.`, advice: renewal }];
  if (expires_at === null || Date.parse(expires_at) - Date.now() > certificateDays * 24 * hourMs) return [];
  return [{ what: `The certificate of ${of} ends at ${expires_at}.`, advice: renewal }];
}

const renewal = 'Renew it, and see why that did not happen by itself: docs/transport-security.md and docs/sites.md, Certificates.';

function problemsOfBackup({ folder, taken_at }: BackupState, maxHours: number): Problem[] {
  const advice = 'Write one with `webkiln backup`; docs/backup.md says how to have one each night.';
  if (taken_at === null) return [{ what: `There is no backup in ${folder}.`, advice }];
  const hours = Math.floor((Date.now() - Date.parse(taken_at)) / hourMs);
  return hours < maxHours ? [] : [{ what: `The last backup is ${hours} hours old.`, advice }];
}
