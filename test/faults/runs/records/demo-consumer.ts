import { closeEvents, connectEvents, consume } from '@webkiln/events';
import type { EventEnvelope, EventType } from '@webkiln/messages';
import { connectStore, createIndexes, defineModel, disconnectStore, scoped } from '@webkiln/store';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

export const publicTypes = ['client.created', 'client.updated', 'project.created'] as const satisfies readonly EventType[];
export type PublicEvent = EventEnvelope<(typeof publicTypes)[number]>;

/** The record in the event's data. */
export const recordOf = ({ data }: PublicEvent) => ('project' in data ? data.project : data.client);

/** One row per event: `_id` is the event's id, `times` the number of times its effect ran. */
const Effects = defineModel<{ record: string; times: number }>(
  'demo_effects',
  { record: String, times: Number },
  {
    indexes: [[{ org_id: 1, record: 1 }]],
  },
);

/** A consumer like that of any service. Its effect is a row in a collection of its own. */
export interface DemoConsumer extends AsyncDisposable {
  /** How often the effect of each event of an organization ran, by event id. */
  effects(org_id: string): Promise<Map<string, number>>;
  /** True once an event about this record had its effect. */
  hasEffectFor(org_id: string, record: string): Promise<boolean>;
}

export async function startDemoConsumer({ urls }: PlatformFacts): Promise<DemoConsumer> {
  await connectStore(urls.MONGODB_URL, 'webkiln_demo_consumer');
  await createIndexes();
  await connectEvents(urls.NATS_URL, 'demo-consumer');
  consume({
    name: 'demo-consumer',
    types: publicTypes,
    transactionalHandler: async (event, session) => {
      const change = { $inc: { times: 1 }, $setOnInsert: { record: recordOf(event).id } };
      await scoped(Effects, { org_id: event.org_id, session }).updateOne({ _id: event.id }, change, { upsert: true });
    },
  });
  return {
    effects: async (org_id) => new Map((await scoped(Effects, { org_id }).find({})).map(({ _id, times }) => [_id, times])),
    hasEffectFor: async (org_id, record) => (await scoped(Effects, { org_id }).count({ record })) > 0,
    async [Symbol.asyncDispose]() {
      await closeEvents();
      await disconnectStore();
    },
  };
}
