import type { Caller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, newId, type Scope, saveChange, saveWithRetry } from '@webkiln/store';
import { type Billing, billingTransaction } from '../billing/change-billing.ts';
import { billClient } from '../billing/subscription-use-cases.ts';
import { assertPlanExists } from '../plans/plan-store.ts';
import { type BilledFields, type ClientFields, changeClient, clientAudited, comesBack, removeJoinedClient, toClient } from './client.ts';
import { ClientModel, type ClientRecord, existingClient } from './client-store.ts';
import { clientQuota } from './create-client.ts';

export const updateClient = handle('clients.UpdateClient', async (request, caller) => {
  const wanted = maskedFields(request) as Partial<ClientFields>;
  if (typeof wanted.plan_id === 'string') await assertPlanExists(caller, wanted.plan_id);
  const { org_id } = caller.principal;
  const id = newId(caller, 'subscription');
  const attempt = async (billing?: Billing) => {
    const current = await existingClient(caller, request.client_id);
    assertMatches(caller, current);
    const billed = billing === undefined ? {} : await billClient(billing, caller, current, wanted, id);
    return change(caller, billing ?? caller, current, wanted, billed);
  };
  // What a client owes follows its plan, and ends when it leaves.
  const isBilled = wanted.plan_id !== undefined || wanted.status === 'churned';
  return isBilled ? billingTransaction(org_id, attempt, caller) : saveWithRetry(caller, () => attempt(), request.client_id);
});

async function change(caller: Caller, scope: Scope, current: ClientRecord, wanted: Partial<ClientFields>, billed: BilledFields) {
  const wish = changeClient(current, wanted, billed);
  if (wish === null) return { client: toClient(current), etag: etagOf(current) };
  const audited = wish.withAudit(clientAudited(caller, 'client.changed', { ...current, ...wish.state }));
  const client = comesBack(current, wanted)
    ? await clientQuota.insert(caller.principal.org_id, (place) => saveChange(ClientModel, scope, current, audited.withState({ place })))
    : await saveChange(ClientModel, scope, current, audited);
  return { client: toClient(client), etag: etagOf(client) };
}

/** The event about it ends the sessions of the client's user, and takes its sites off the web. */
export const removeClient = handle('clients.RemoveClient', ({ client_id }, caller) =>
  billingTransaction(
    caller.principal.org_id,
    async (billing) => {
      const current = await existingClient(caller, client_id);
      assertMatches(caller, current);
      const left = { status: 'churned' as const };
      const billed = await billClient(billing, caller, current, left, newId(caller, 'subscription'));
      const change = removeJoinedClient(current, new Date().toISOString(), billed);
      if (change === null) return { client: toClient(current), etag: etagOf(current) };
      const act = clientAudited(caller, 'client.changed', { ...current, ...change.state });
      const client = await saveChange(ClientModel, billing, current, change.withAudit(act));
      return { client: toClient(client), etag: etagOf(client) };
    },
    caller,
  ),
);
