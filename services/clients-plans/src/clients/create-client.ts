import { handle } from '@webkiln/rpc';
import { etagOf, newId } from '@webkiln/store';
import { assertPlanExists } from '../plans/plan-store.ts';
import { addClient } from './add-client.ts';
import { inviteClient, toClient } from './client.ts';

export const createClient = handle('clients.CreateClient', async (request, caller) => {
  const { email, name = null, company = null, plan_id = null } = request;
  if (plan_id !== null) await assertPlanExists(caller, plan_id);
  const draft = { _id: newId(caller), user_id: newId(caller, 'user'), email, name, company, plan_id };
  const client = await addClient(caller, inviteClient(draft, new Date().toISOString()));
  return { client: toClient(client), etag: etagOf(client) };
});
