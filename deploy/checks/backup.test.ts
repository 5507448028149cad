import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ProcessName, processes } from '@webkiln/messages';
import { newSecrets, secretsOfProcess } from '@webkiln/messages/secrets';
import { exampleFile, type KubernetesObject, objectsOf, objectsOfExample } from './charts.ts';
import { schemaProblems } from './kubernetes-schemas.ts';

const root = path.resolve(import.meta.dirname, '../..');
const production = ['--values', exampleFile('production')];
const urls = { MONGODB_URL: 'mongodb://mongodb', NATS_URL: 'nats://nats', REDIS_URL: 'redis://redis' };
const mark = 'ARGUMENTS';

/** The one object of a kind and name; throws if there is none. */
function named(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}
const cronJobOf = (objects: readonly KubernetesObject[]) => named(objects, 'CronJob', 'webkiln-backup');
const podOf = (cronJob: KubernetesObject) => cronJob.spec.jobTemplate.spec.template.spec;
const containerOf = (cronJob: KubernetesObject) => podOf(cronJob).containers[0];

/** The exit code of the command line: 2 for arguments that it does not take, 1 because no store answers. */
const exitCodeOf = (args: readonly string[]) =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, MONGODB_URL: 'mongodb://127.0.0.1:1', NATS_URL: 'nats://127.0.0.1:1' };
    const child = execFile(process.execPath, [path.join(root, 'cli/src/main.ts'), ...args], { env }, () => resolve(child.exitCode));
  });

test('without backup.enabled there is no backup and no alarm about it', async () => {
  const objects = await objectsOf(...production, '--set', 'backup.enabled=false');
  expect(objects.filter(({ metadata }) => /backup/.test(metadata.name))).toEqual([]);
  expect(JSON.stringify(objects)).not.toContain('WebkilnBackupMissing');
});

test('scheduled backups are in UTC, never run beside each other, and end', async () => {
  const { spec } = cronJobOf(await objectsOfExample('production'));
  expect(spec).toMatchObject({ schedule: '17 2 * * *', timeZone: 'Etc/UTC', concurrencyPolicy: 'Forbid' });
  expect(spec.jobTemplate.spec).toMatchObject({ backoffLimit: 2, activeDeadlineSeconds: 7200 });
});

test('the backup has the URLs of the stores and fingerprints; the secrets, each from that of its process, are with a container that has no data', async () => {
  const objects = await objectsOf(...production, '--set', 'webhooks.secretName=hooks');
  const container = containerOf(cronJobOf(objects));
  expect(container.envFrom).toEqual([
    { configMapRef: { name: 'webkiln-settings' } },
    { secretRef: { name: 'webkiln-backup' } },
    { secretRef: { name: 'webkiln-backup-repository' } },
  ]);
  expect(container.env.filter(({ valueFrom }: { valueFrom?: object }) => valueFrom)).toEqual([]);
  const [fingerprints] = podOf(cronJobOf(objects)).initContainers;
  expect(fingerprints.envFrom).toBeUndefined();
  const references = fingerprints.env.flatMap(({ name, valueFrom }: { name: string; valueFrom?: { secretKeyRef: object } }) =>
    valueFrom === undefined ? [] : { setting: name, ...valueFrom.secretKeyRef },
  );
  const secrets = newSecrets();
  const owners = (Object.keys(processes) as ProcessName[]).flatMap((name) =>
    Object.keys(secretsOfProcess(name, secrets, urls))
      .filter((setting) => /^(KEY_PEPPER|AUTH_SECRET|INVITATION_SECRET|PREVIEW_SECRET|WEBHOOK_SECRET_KEYS)$/.test(setting))
      .map((setting) => ({ setting, key: setting, name: name === 'webhooks' ? 'hooks' : `webkiln-${name}` })),
  );
  expect(owners).toHaveLength(5);
  expect(references).toEqual(expect.arrayContaining(owners));
  expect(references).toHaveLength(owners.length);
});

test('its pods reach MongoDB, NATS, DNS and the repository alone, and nothing reaches them', async () => {
  const { spec } = named(await objectsOfExample('production'), 'NetworkPolicy', 'backup');
  const ports = spec.egress.flatMap((rule: { ports: { port: number }[] }) => rule.ports.map(({ port }) => port));
  expect({ ingress: spec.ingress, ports }).toEqual({ ingress: [], ports: [27017, 4222, 53, 53, 443] });
  expect(spec.egress.slice(0, 2).every(({ to }: { to?: object[] }) => (to?.length ?? 0) > 0)).toBe(true);
});

test('without a repository no backup leaves the cluster, and one whose place is not named is refused', async () => {
  const without = cronJobOf(await objectsOf(...production, '--set', 'backup.repository.url='));
  expect(JSON.stringify(without)).not.toMatch(/restic/i);
  await expect(objectsOf(...production, '--set-json', 'backup.repository.to=[]')).rejects.toThrow('backup.repository.to');
});

test('backups outlive an uninstalled release, and may be on a claim that exists', async () => {
  const made = named(await objectsOfExample('production'), 'PersistentVolumeClaim', 'webkiln-backup');
  expect(made.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } });
  const existing = await objectsOfExample('gateway-api');
  expect(existing.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([]);
  const { volumes } = cronJobOf(existing).spec.jobTemplate.spec.template.spec;
  expect(volumes[0].persistentVolumeClaim.claimName).toBe('backups');
});

test('the command line takes the arguments of the job', async () => {
  const { args } = containerOf(cronJobOf(await objectsOfExample('production')));
  expect(await exitCodeOf(args)).toBe(1);
});

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function patched(object: KubernetesObject, operations: readonly Operation[]): KubernetesObject {
  const copy = structuredClone(object);
  for (const { op, path, value } of operations) {
    const keys = path.split('/').slice(1);
    const last = keys.pop() ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: any part of an object
    const parent = keys.reduce<any>((part, key) => part[key], copy);
    expect(parent).toHaveProperty(last);
    if (op === 'replace') parent[last] = value;
    else delete parent[last];
  }
  return copy;
}

test('the restore of docs/backup.md is a Job that Kubernetes takes and that is no backup, with arguments that the command line takes', async () => {
  const text = readFileSync(path.join(root, 'docs/backup.md'), 'utf8');
  const [, patch = ''] = /-p '(\[[^\]]+"\$2"[^\]]+\])'/.exec(text) ?? [];
  const { spec } = cronJobOf(await objectsOfExample('production'));
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'webkiln-backup', uid: 'x', controller: true };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x', ownerReferences: [owner] }, spec: spec.jobTemplate.spec };
  const calls = [...text.matchAll(/^from_backup \w+ '(\[.+\])'$/gm)].map(([, args = '']) => args);
  expect(calls).toHaveLength(2);
  const jobs = calls.map((args) => patched(job, JSON.parse(patch.replace(`'"$2"'`, `"${mark}"`).replace(`"${mark}"`, args))));
  for (const [at, made] of jobs.entries()) {
    expect(made.spec.template.spec.containers[0].args).toEqual(JSON.parse(calls[at] ?? ''));
    expect(made.metadata).toEqual({ name: 'x' });
  }
  expect(await schemaProblems(jobs, ['1.30', '1.37'])).toEqual([]);
  expect(await Promise.all(calls.map((args) => exitCodeOf(JSON.parse(args))))).toEqual([1, 1]);
});
