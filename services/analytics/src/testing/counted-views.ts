import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeEvents, connectEvents } from '@webkiln/events';
import { type Bus, theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { scoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { SiteDayModel } from '../rollups/site-day-store.ts';
import type { View } from '../views/view.ts';
import { ViewsStream } from '../views/views-stream.ts';
import type { SiteOwner } from '../workers/fold.ts';
import { findPartitions } from '../workers/partition-store.ts';
import { getStreamEpoch, toPosition } from '../workers/stream-epoch-store.ts';
import { Workers } from '../workers/workers.ts';
import { toMessages } from './synthetic-views.ts';

export const partitions = 4;

type OwnerOf = (name: string) => Promise<SiteOwner | null>;

interface WorkersUnderTest {
  getOwner?: OwnerOf;
  count?: number;
  maxSilenceMs?: number;
}

/** A stream of views and a database for one test file, with workers in this process or in others. */
export function useViews() {
  const names = ownStream();
  const org_id = randomUUID();
  const oneOwner: OwnerOf = async (name) => ({ org_id, project_id: name, user_id: 'user' });
  const running: Workers[] = [];
  const children: ChildProcess[] = [];
  let stream: ViewsStream;
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'test', { stream: `${names.stream}_events`, subjectPrefix: names.subjectPrefix });
    stream = new ViewsStream(theBus(), { name: names.stream, maxBytes: 64 * 1024 ** 2 });
    await until(() => theBus().connection !== undefined);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await end(child, 'SIGKILL');
    await Promise.all(running.splice(0).map((workers) => workers.stop()));
  });
  afterAll(async () => {
    await closeEvents();
    await removeStream(names.stream);
  });

  return {
    org_id,
    stream: () => stream,
    /** Starts workers in this process; returns a function that stops them. */
    start({ getOwner = oneOwner, count = partitions, maxSilenceMs }: WorkersUnderTest = {}): () => Promise<void> {
      const workers = new Workers(theBus(), stream, { partitions: count, owners: { getOwner }, maxSilenceMs });
      workers.start();
      running.push(workers);
      return async () => {
        running.splice(running.indexOf(workers), 1);
        await workers.stop();
      };
    },
    async startProcess(): Promise<ChildProcess> {
      const { stream: STREAM, subjectPrefix: SUBJECT_PREFIX } = names;
      const settings = { STREAM, SUBJECT_PREFIX, PARTITIONS: `${partitions}`, ORGANIZATION: org_id, DATABASE: mongoose.connection.name };
      const child = fork(require.resolve('./worker-process.ts'), { env: { ...process.env, ...settings } });
      children.push(child);
      await once(child, 'message');
      return child;
    },
    publish: (views: readonly View[]) => publish(theBus(), stream, toMessages(views)),
    publishTexts: (texts: readonly string[]) => publish(theBus(), stream, texts),
    /** Waits until everything on the stream is counted. */
    allCounted: () => until(() => withNats((connection) => isCounted(stream, connection))),
    siteDay: (site: string) => scoped(SiteDayModel, { org_id }).findOne({ project_id: site }),
  };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function publish(bus: Bus, stream: ViewsStream, messages: Iterable<string>): Promise<void> {
  const { connection } = bus;
  if (connection === undefined) throw new Error('NATS is disconnected');
  await stream.ensure(connection);
  for (const message of messages) await connection.jetstream().publish(stream.subject, message);
}

/** Compares positions with the end of the stream. Those of an earlier stream are lower than any of this one. */
async function isCounted(stream: ViewsStream, connection: Parameters<Parameters<typeof withNats>[0]>[0]): Promise<boolean> {
  const { streams } = await connection.jetstreamManager();
  const { created, state } = await streams.info(stream.name);
  const last = toPosition(await getStreamEpoch(stream.name, created), state.last_seq);
  const records = await findPartitions();
  return records.length === partitions && records.every(({ position }) => position >= last);
}
