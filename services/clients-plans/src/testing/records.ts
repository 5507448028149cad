import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { present } from './expectations.ts';

const plan = {
  name: 'Studio',
  price: 19.9,
  interval: 'monthly',
  max_sites: 3,
  max_ai_messages_daily: 50,
  can_export_code: false,
  can_use_custom_domain: false,
};

/** Creates a plan and returns its id. */
export async function newPlan(org: string, wanted: Partial<typeof plan> = {}): Promise<string> {
  const reply = await call('plans.CreatePlan', { ...plan, ...wanted }, testCaller(org));
  return present(reply.plan).id;
}

/** Creates a client and returns its id. */
export async function newClient(org: string, wanted: { email: string; name?: string; plan_id?: string }): Promise<string> {
  const reply = await call('clients.CreateClient', wanted, testCaller(org));
  return present(reply.client).id;
}
