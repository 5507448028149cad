import { NatsServer } from '@webkiln/events/testing/nats-server';
import { generateSigningKey } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { until } from '@webkiln/store/testing';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';
import { ask, viewsOn } from '../testing/running-ingest.ts';
import { hashEventId } from '../views/view.ts';

interface AnalyticsProcess extends Pick<ServiceProcess, 'kill' | 'stop'> {
  /** The port that accepts views. */
  readonly port: number;
  /** Sums up the metric lines that match. */
  sumMetric(metric: RegExp): Promise<number>;
}

const { publicKey, privateKey } = generateSigningKey();
const unreachable = '127.0.0.1:9';

/** Runs analytics' main.ts as a process without MongoDB and other services, and waits until it is ready. */
async function startAnalytics(natsUrl: string): Promise<AnalyticsProcess> {
  const { ports, kill, stop } = await startProcess(await bundledProgram('services/analytics/src/main.ts'), {
    LOG_LEVEL: 'error',
    HTTP_PORT: '0',
    NATS_URL: natsUrl,
    MONGODB_URL: `mongodb://${unreachable}/?replicaSet=none`,
    PROJECTS_TEMPLATES_ADDRESS: unreachable,
    IDENTITY_ADDRESS: unreachable,
    PRINCIPAL_TRUSTED_KEYS: `gateway:${publicKey}`,
    PRINCIPAL_SIGNING_KEY: privateKey,
    SITES_ORIGIN: 'https://sites.test',
    VIEWS_PER_ADDRESS: '1000000',
  });
  const sumMetric = async (metric: RegExp) => {
    const lines = (await (await fetch(`http://127.0.0.1:${ports.internal}/metrics`)).text()).split('\n');
    return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return { port: ports.http ?? 0, sumMetric, kill, stop };
}

let nats: NatsServer;
beforeEach(async () => {
  nats = await NatsServer.notYetStarted();
  await nats.start();
});
afterEach(() => nats.remove());

const isTaken = (port: number, id: string) =>
  ask(port, '/api/collect', { method: 'POST', body: JSON.stringify({ events: [{ id, path: '/' }] }) }).then(
    ({ status }) => status === 204,
    () => false,
  );

/** Returns the id of the first accepted view. Each attempt has a new id: a refused view may be stored. */
async function firstTaken(port: number): Promise<string> {
  let tries = 0;
  await until(() => isTaken(port, `first ${++tries}`));
  return `first ${tries}`;
}

/** Sends views from 32 visitors until the server stops responding. Adds accepted ids to `accepted`. */
async function sendUntilDead(port: number, accepted: string[]): Promise<void> {
  let next = 0;
  const visitor = async () => {
    for (let misses = 0; misses < 3; ) {
      const id = `event ${next++}`;
      if (await isTaken(port, id)) accepted.push(id);
      else misses += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, visitor));
}

test('kill -9 of ingest loses no accepted view, without MongoDB and other services', async () => {
  const ingest = await startAnalytics(nats.url);
  const accepted = [await firstTaken(ingest.port)];
  const sending = sendUntilDead(ingest.port, accepted);
  await until(() => accepted.length > 500);
  await ingest.kill();
  await sending;
  const marks = (await viewsOn('VIEWS', nats.url)).map(({ event }) => event);
  expect(new Set(marks).size).toBe(marks.length);
  const stored = new Set(marks);
  expect(accepted.filter((id) => !stored.has(hashEventId('shop', id)))).toEqual([]);
});

test('kill -9 of NATS loses no accepted view; none is accepted meanwhile, and ingest recovers by itself', async () => {
  const ingest = await startAnalytics(nats.url);
  const accepted = [await firstTaken(ingest.port)];
  let over = false;
  let refused = 0;
  let next = 0;
  const visitor = async () => {
    while (!over) {
      const id = `event ${next++}`;
      if (await isTaken(ingest.port, id)) accepted.push(id);
      else refused += 1;
    }
  };
  const visitors = Promise.all(Array.from({ length: 16 }, visitor));
  for (let kills = 0; kills < 2; kills++) {
    const before = accepted.length;
    await until(() => accepted.length > before + 200);
    await nats.kill();
    const missed = refused;
    await until(() => refused > missed + 10);
    await nats.start();
  }
  const before = accepted.length;
  await until(() => accepted.length > before + 200);
  over = true;
  await visitors;
  const stored = new Set((await viewsOn('VIEWS', nats.url)).map(({ event }) => event));
  expect(accepted.filter((id) => !stored.has(hashEventId('shop', id)))).toEqual([]);
  expect(await ingest.sumMetric(/^webkiln_views_accepted_total.*visitor/)).toBe(accepted.length);
  expect(await ingest.sumMetric(/^webkiln_view_requests_refused_total.*unavailable/)).toBeGreaterThan(0);
  expect(await ingest.stop()).toBe(0);
});
