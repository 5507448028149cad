import { randomUUID } from 'node:crypto';
import { activeClient } from '../../../../contract/fixtures.ts';
import { acceptAll, ReceiverServer } from '../../webhooks/receiver.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import { jsonRequest, RequestLoops } from '../means/request-loops.ts';
import { subscribeOften, unsubscribe } from '../means/subscribe-often.ts';
import type { Nuisance } from '../nuisance.ts';

const webhooks = 10;

/** A program that changes a record without a pause, each change an event at ten webhooks. */
export const floodOfEvents: Nuisance = {
  name: 'flood-of-events',
  what: `a tenant raises events at ${webhooks} webhooks as fast as it can`,
  unbounded: { QUOTA_REQUESTS: '1000000', QUOTA_EVENTS: '1000000', CREDENTIAL_CONCURRENCY: '100000' },
  async start(scene) {
    const hostile = await hostileAgency(scene);
    const { api } = hostile;
    const { id } = await activeClient(api);
    const receivers = await ReceiverServer.start(acceptAll);
    const subscribers = await subscribeOften(receivers, hostile, webhooks);
    const next = () => jsonRequest('PATCH', `/api/v1/clients/${id}`, api.key, { name: randomUUID() });
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 64, next });
    return {
      get attempts() {
        return loops.statuses.get(200) ?? 0;
      },
      async stop() {
        await loops.stop();
        const arrived = subscribers.reduce((sum, { received }) => sum + received.size, 0);
        await unsubscribe(subscribers);
        await receivers[Symbol.asyncDispose]();
        return `${loops.statuses.get(200)} events raised, ${arrived} delivered meanwhile, ${loops.statuses.get(429) ?? 0} requests refused`;
      },
    };
  },
};
