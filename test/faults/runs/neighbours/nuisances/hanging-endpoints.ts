import { randomUUID } from 'node:crypto';
import { activeClient } from '../../../../contract/fixtures.ts';
import { ReceiverServer } from '../../webhooks/receiver.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import { jsonRequest, RequestLoops } from '../means/request-loops.ts';
import { subscribeOften, unsubscribe } from '../means/subscribe-often.ts';
import type { Nuisance } from '../nuisance.ts';

const endpoints = 50;
/** Just below the time limit of an attempt. */
const hangMs = 14_000;

/** A tenant whose receivers answer as late as they may. */
export const hangingEndpoints: Nuisance = {
  name: 'hanging-endpoints',
  what: `${endpoints} endpoints of one tenant answer each event after ${hangMs / 1000} s`,
  unbounded: {
    WEBHOOK_ORGANIZATION_CONCURRENCY: '20000',
    WEBHOOK_HOST_CONCURRENCY: '20000',
    WEBHOOK_ENDPOINT_CONCURRENCY: '1000',
    QUOTA_EVENTS: '1000000',
    QUOTA_REQUESTS: '1000000',
  },
  async start(scene) {
    const hostile = await hostileAgency(scene);
    const { api } = hostile;
    const { id } = await activeClient(api);
    let hung = 0;
    const receivers = await ReceiverServer.start((response) => {
      hung++;
      setTimeout(() => response.writeHead(204).end(), hangMs).unref();
    });
    const subscribers = await subscribeOften(receivers, hostile, endpoints);
    const next = () => jsonRequest('PATCH', `/api/v1/clients/${id}`, api.key, { name: randomUUID() });
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 4, next });
    return {
      get attempts() {
        return hung;
      },
      async stop() {
        await loops.stop();
        await unsubscribe(subscribers);
        await receivers[Symbol.asyncDispose]();
        return `${loops.statuses.get(200) ?? 0} events at each of ${endpoints} endpoints, ${hung} deliveries hung`;
      },
    };
  },
};
