import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { SyntheticViews, toMessages } from '../../../services/analytics/src/testing/synthetic-views.ts';
import { defaultPartitions } from '../../../services/analytics/src/workers/partition.ts';
import type { Bench } from '../bench.ts';
import { cpuSeconds } from '../cpu.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable } from '../report.ts';

const port = 18_110;
const views = Number(process.env.VIEWS ?? 100_000);
const sites = Number(process.env.SITES ?? 200);
const processes = [1, 2, 4];
const program = path.resolve(import.meta.dirname, '../../../services/analytics/src/testing/worker-process.ts');
const pollIntervalMs = 50;
const countTimeoutMs = 120_000;

/**
 * Measures how fast one, two and four processes count a backlog of views. They share the machine's cores with the
 * stores.
 */
export async function benchWorkers({ scratch, log, onStop }: Bench): Promise<void> {
  log('starting the platform …');
  const platform = await startBenchPlatform(path.join(scratch, 'workers'), port, { ANALYTICS_ROLE: 'ingest' });
  onStop(() => platform.stop());
  const natsUrl = `nats://127.0.0.1:${platform.processes.nats?.port}`;
  const synthetic = new SyntheticViews({
    seed: 1,
    sites: Array.from({ length: sites }, (_, site) => ({ name: `site-${site}`, visitors: 2_000 })),
  });
  const rows = [];
  for (const count of processes) {
    log(`${views} views, ${count} process${count > 1 ? 'es' : ''} …`);
    rows.push({ count, ...(await drain(count, natsUrl, platform.mongoUrl, synthetic)) });
  }
  log(
    '\n| processes | views/s | CPU µs/view, workers | lag at the start, s of 1 M views/minute | bytes/view on the stream |\n|---|---|---|---|---|',
  );
  for (const { count, perSecond, cpuMicros, bytes } of rows) {
    log(`| ${count} | ${perSecond.toFixed(0)} | ${cpuMicros.toFixed(0)} | ${(views / (1e6 / 60)).toFixed(1)} | ${bytes.toFixed(0)} |`);
  }
  const [one] = rows;
  if (one !== undefined) log(`\n${figureTable([['cores that workers need for 1 M views/minute', (one.cpuMicros * 1e6) / 60 / 1e6, '']])}`);
}

/** Publishes the views to a new stream, then lets `count` processes count them. */
async function drain(count: number, natsUrl: string, mongoUrl: string, synthetic: SyntheticViews) {
  const name = `bench_${count}`;
  const settings = { STREAM: name, SUBJECT_PREFIX: `${name}.`, PARTITIONS: `${defaultPartitions}`, ORGANIZATION: name, DATABASE: name };
  const [connection, client] = [await connect({ servers: natsUrl }), await MongoClient.connect(mongoUrl)];
  const children: ChildProcess[] = [];
  try {
    const { streams } = await connection.jetstreamManager();
    await streams.add({ name, subjects: [`${name}.views`], max_bytes: 1024 ** 3 });
    const stream = connection.jetstream();
    for (const message of toMessages(synthetic.next(views))) await stream.publish(`${name}.views`, message);
    const { state } = await streams.info(name);
    const env = { ...process.env, ...settings, MONGODB_URL: mongoUrl, NATS_URL: natsUrl };
    const began = performance.now();
    for (let process = 0; process < count; process++) children.push(fork(program, { env }));
    await Promise.all(children.map((child) => once(child, 'message')));
    const pids = children.map(({ pid }) => pid ?? 0);
    const before = cpuSeconds(pids);
    const rows = client.db(name).collection<{ _id: string; position: number }>('partitions');
    const counted = async () => (await rows.find().toArray()).filter(({ position }) => position % 2 ** 40 >= state.last_seq).length;
    while ((await counted()) < defaultPartitions) {
      if (performance.now() - began > countTimeoutMs) throw new Error(`the views were not counted within ${countTimeoutMs / 1000} s`);
      await pause(pollIntervalMs);
    }
    const seconds = (performance.now() - began) / 1000;
    return { perSecond: views / seconds, cpuMicros: ((cpuSeconds(pids) - before) * 1e6) / views, bytes: state.bytes / views };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await client.close();
    await connection.close();
  }
}
