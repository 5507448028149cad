import { waitingRecords } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import type { StreamInfo } from 'nats';
import { closeEvents, connectEvents } from '../connection.ts';
import { consume } from '../consume/consume.ts';
import { startRelay } from '../relay/relay.ts';
import { marksOn, Templates, withNats } from './template-records.ts';

interface Servers {
  readonly url: string;
  remove(): Promise<void>;
}

/** For tests of how this process uses NATS servers of its own: those of a test end with it. */
export function useOwnServers() {
  let current: Servers | undefined;
  const url = () => current?.url ?? '';
  afterEach(async () => {
    await closeEvents();
    await current?.remove();
  });
  const info = (stream = 'EVENTS'): Promise<StreamInfo> =>
    withNats(async (connection) => (await connection.jetstreamManager()).streams.info(stream), url());
  return {
    use<S extends Servers>(servers: S): S {
      current = servers;
      return servers;
    },
    /** Becomes a process with this EVENTS_REPLICAS, which relays events. */
    async start(replicas: number): Promise<void> {
      await closeEvents();
      await connectEvents(url(), 'test', { replicas });
      startRelay();
    },
    info,
    /** How many servers of a cluster hold all of a stream; undefined while there is no stream. */
    async inSync(stream?: string): Promise<number | undefined> {
      const { cluster } = await info(stream).catch(() => ({ cluster: undefined }));
      return cluster && (cluster.leader ? 1 : 0) + (cluster.replicas ?? []).filter(({ current: isCurrent }) => isCurrent).length;
    },
    marks: (): Promise<string[]> => marksOn('EVENTS', url()),
  };
}

/** Starts to handle events; returns the marks of those that were handled. */
export function handleEvents(): Set<string> {
  const marks = new Set<string>();
  const transactionalHandler = async ({ data }: { data: { template_id: string } }) => void marks.add(data.template_id);
  consume({ name: 'reader', types: ['internal.template.deleted'], transactionalHandler });
  return marks;
}

export const allPublished = (): Promise<void> => until(async () => (await waitingRecords(Templates, 1)).length === 0);
