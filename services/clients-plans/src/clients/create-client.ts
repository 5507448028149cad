import { handle } from '@webkiln/rpc';
import { etagOf, newId } from '@webkiln/store';
import { assertPlanExists } from '../plans/plan-store.ts';
import { addClient } from './add-client.ts';
import { clientAudited, inviteClient, toClient } from './client.ts';

export const createClient = handle('clients.CreateClient', async (request, caller) => {
  const { email, name = null, company = null, plan_id = null } = request;
  if (plan_id !== null) await assertPlanExists(caller, plan_id);
  const draft = { _id: newId(caller), user_id: newId(caller, 'user'), email, name, company, plan_id };
  const change = inviteClient(draft, new Date().toISOString());
  const client = await addClient(caller, change.withAudit(clientAudited(caller, 'client.created', change.state)));
  return { client: toClient(client), etag: etagOf(client) };
});
