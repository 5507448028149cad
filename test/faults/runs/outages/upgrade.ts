import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { dataServiceNames, type ProcessName } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import { bundle } from '../../../../tools/dev-platform/src/platform/bundle.ts';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import { localReceivers } from '../../../harness/local-receivers.ts';
import { startPlatform, type TestPlatform } from '../../../harness/test-platform.ts';
import { Findings, type Outcome } from '../outcome.ts';
import { listAll } from '../records/compare-records.ts';
import { acceptAll, ReceiverServer } from '../webhooks/receiver.ts';
import { ReadyGateways } from './ready-gateways.ts';
import { entryOf, releasedPrograms } from './released-programs.ts';
import { type LoadRequest, SteadyLoad } from './steady-load.ts';

const unlimited = '1000000';
const settleTimeoutMs = 120_000;

interface Counts {
  readonly writesPerSecond: number;
  /** The services that are upgraded; the others run this commit from the start, as in a mixture of both. */
  readonly services: readonly ProcessName[];
}

/** Settings of a platform that is upgraded. */
export const upgradeSettings = {
  ...localReceivers,
  RATE_LIMIT: unlimited,
  QUOTA_EVENTS: unlimited,
  REQUEST_TIMEOUT_MS: '60000',
  MIGRATE_AT_START: 'false',
};

/** The programs of the released commit by the processes that run them at first: both replicas of each service. */
export async function releasedProcesses(services: readonly ProcessName[]): Promise<Map<string, string>> {
  const programs = await releasedPrograms();
  return new Map(replicasOf(services).map(([name, service]) => [name, programs.get(entryOf(service)) ?? '']));
}

/** Upgrades a platform of its own. */
export async function upgradeUnderLoad(counts: Counts): Promise<Outcome> {
  const otherPrograms = await releasedProcesses(counts.services);
  await using platform = await startPlatform({ gateways: 2, replicas: 2, env: upgradeSettings, otherPrograms });
  return await upgrade(platform, otherPrograms, counts);
}

/**
 * Upgrades a platform of the released commit under steady writes: an index is added and a version of documents raised.
 * One replica of every service is replaced at the same time, as a rollout of all deployments does. Half way it goes
 * back to the released commit, then forward again. `running` are the released programs by their processes; those of
 * this commit are removed from it.
 */
export async function upgrade(
  platform: TestPlatform,
  running: Map<string, string>,
  { writesPerSecond: perSecond, services }: Counts,
): Promise<Outcome> {
  const findings = new Findings();
  const ours = await agency(platform.facts);
  await using receivers = await ReceiverServer.start(acceptAll);
  const subscriber = await receivers.subscribe(ours, ['client.created']);
  await using databases = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
  const entries = databases.db('webkiln_identity').collection('audit_entries');
  await databases.db('webkiln_identity').collection('keys').dropIndex('org_id_1_rotated_by_1');
  await using gateways = new ReadyGateways(platform);
  const load = new SteadyLoad(gateways, { key: ours.api.key ?? '', perSecond, next: anyWrite });

  const released = new Map(running);
  const run = async (what: string, names: readonly string[], programOf: (name: string) => string | undefined) => {
    const replace = async (name: string) => {
      const program = programOf(name);
      if (program === undefined) running.delete(name);
      else running.set(name, program);
      await platform.replace(name, 'SIGTERM');
    };
    const from = load.samples.length;
    await Promise.all(names.map(replace));
    for (const { request, outcome } of load.samples.slice(from)) findings.check(Number(outcome) < 300, `${what}: ${request}: ${outcome}`);
  };
  const seconds = services.map((name) => `${name}-2`);
  await migrate(platform);
  await run('forward', services, () => undefined);
  await run('back', services, (name) => released.get(name));
  await run('forward again', services, () => undefined);
  await run('the second replicas forward', seconds, () => undefined);
  await load.finish();
  await migrate(platform);

  const made = load.samples.filter(({ outcome }) => outcome === 201).length;
  const failed = load.samples.filter(({ outcome }) => !(Number(outcome) < 300));
  findings.check(failed.length === 0, `${failed.length} of ${load.samples.length} requests failed, such as ${JSON.stringify(failed[0])}`);
  await compare(ours, subscriber, made, findings);
  const old = await entries.countDocuments({ schema_version: { $ne: 2 } });
  findings.check(old === 0 && (await entries.countDocuments({})) > 0, `${old} audit entries are of an earlier version`);
  const figure = `${load.samples.length} writes, ${failed.length} failed; ${subscriber.received.size} of ${made} events delivered`;
  return { seed: 0, tries: 4 * services.length, figure, failures: findings.failures };
}

/** Every acknowledged client is stored, and its event has arrived once, by id. */
async function compare(ours: Agency, subscriber: Awaited<ReturnType<ReceiverServer['subscribe']>>, made: number, findings: Findings) {
  const stored = new Set((await listAll(ours.api, 'clients')).map(({ id }) => id));
  findings.check(stored.size === made, `${made} clients were acknowledged, ${stored.size} are stored`);
  const arrived = () => [...subscriber.received.values()].flatMap(({ event }) => ('client' in event.data ? [event.data.client.id] : []));
  await eventually(() => {
    const missing = stored.difference(new Set(arrived())).size;
    if (missing > 0) throw new Error(`the events of ${missing} clients did not arrive`);
  }, settleTimeoutMs).catch((error: unknown) => findings.check(false, String(error)));
  findings.check(arrived().length === stored.size, `${arrived().length} events arrived for ${stored.size} clients`);
  for (const violation of subscriber.violations) findings.check(false, violation);
}

const replicasOf = (services: readonly string[]) =>
  services.flatMap((service) => [[service, service] as const, [`${service}-2`, service] as const]);

function anyWrite(): LoadRequest {
  const id = randomUUID();
  return { method: 'POST', path: '/clients', body: { email: `${id}@example.test` }, headers: { 'idempotency-key': id } };
}

/** `migrate` of this commit's programs, as their images run it. */
async function migrate({ facts }: TestPlatform): Promise<void> {
  const { MONGODB_URL } = facts.urls;
  const { MONGODB_PREFIX: _prefix, ...env } = process.env;
  const programs = await bundle(dataServiceNames.map(entryOf));
  const migrated = [...programs.values()].map((program) =>
    promisify(execFile)(process.execPath, [program, 'migrate'], { env: { ...env, MONGODB_URL } }),
  );
  await Promise.all(migrated);
}
