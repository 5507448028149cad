import type { EventEnvelope, EventType } from '@webkiln/contract';
import { closeEvents, connectEvents, consume } from '@webkiln/events';
import { connectStore, defineModel, disconnectStore, ensureIndexes, scoped } from '@webkiln/store';
import type { PlatformFacts } from '../../harness/test-platform.ts';

export const publicTypes = ['client.created', 'client.updated', 'project.created'] as const satisfies readonly EventType[];
export type PublicEvent = EventEnvelope<(typeof publicTypes)[number]>;

/** The record that an event tells of. */
export const recordOf = ({ data }: PublicEvent) => ('project' in data ? data.project : data.client);

/** What an event did: `_id` is the event's id, `times` how often its effect was made. */
const Effects = defineModel<{ record: string; times: number }>(
  'demo_effects',
  { record: String, times: Number },
  {
    indexes: [[{ org_id: 1, record: 1 }]],
  },
);

/** A consumer as any service could have one: its effect is written to a collection of its own. */
export interface DemoConsumer extends AsyncDisposable {
  /** Of an organization's events, how often each had its effect, by its id. */
  effects(org_id: string): Promise<Map<string, number>>;
  /** Whether an event of the record had its effect. */
  heardOf(org_id: string, record: string): Promise<boolean>;
}

/** Starts the consumer in this process. */
export async function startDemoConsumer({ urls }: PlatformFacts): Promise<DemoConsumer> {
  await connectStore(urls.MONGODB_URL, 'webkiln_demo_consumer');
  await ensureIndexes();
  await connectEvents(urls.NATS_URL, 'demo-consumer');
  consume({
    name: 'demo-consumer',
    types: publicTypes,
    effect: async (event, session) => {
      const change = { $inc: { times: 1 }, $setOnInsert: { record: recordOf(event).id } };
      await scoped(Effects, { org_id: event.org_id, session }).updateOne({ _id: event.id }, change, { upsert: true });
    },
  });
  return {
    effects: async (org_id) => new Map((await scoped(Effects, { org_id }).find({})).map(({ _id, times }) => [_id, times])),
    heardOf: async (org_id, record) => (await scoped(Effects, { org_id }).count({ record })) > 0,
    async [Symbol.asyncDispose]() {
      await closeEvents();
      await disconnectStore();
    },
  };
}
