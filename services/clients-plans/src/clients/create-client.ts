import { AppError } from '@webkiln/contract';
import type { Caller, Change } from '@webkiln/messages';
import { placedQuota, placedShare } from '@webkiln/org-policy';
import { handle } from '@webkiln/rpc';
import { assignPlaces, etagOf, insertChange, isDuplicate, newId, type PlaceIndex } from '@webkiln/store';
import { billingTransaction } from '../billing/change-billing.ts';
import { billClient } from '../billing/subscription-use-cases.ts';
import { planById } from '../plans/plan-store.ts';
import { type ClientState, clientAudited, inviteClient, toClient } from './client.ts';
import { ClientModel, type ClientRecord, clientById } from './client-store.ts';

export const createClient = handle('clients.CreateClient', async (request, caller) => {
  const { email, name = null, company = null, plan_id = null } = request;
  const draft = { _id: newId(caller), user_id: newId(caller, 'user'), email, name, company, plan_id };
  const change = inviteClient(draft, new Date().toISOString());
  const client = await addClient(caller, change.withAudit(clientAudited(caller, 'client.created', change.state)));
  return { client: toClient(client), etag: etagOf(client) };
});

const placesOf = (org_id: string): PlaceIndex<ClientState, 'organization'> => ({
  ...{ model: ClientModel, scope: { org_id }, within: {} },
  field: 'place',
});
export const clientQuota = placedQuota('clients', placesOf);
const joinedClients = placedShare('clients', (org_id) => ({ ...placesOf(org_id), field: 'joined_place' }));

/** Adds a client. Throws `quota_exceeded`, `plan_unknown`, or `email_taken` if another client has the email. */
export async function addClient(caller: Caller, change: Change<ClientState>): Promise<ClientRecord> {
  const { org_id } = caller.principal;
  try {
    return await clientQuota.insert(org_id, (place) => {
      const insert = (joined_place: number | null) => insertBilled(caller, change.withState({ place, joined_place }));
      return !change.state.joined_by ? insert(null) : joinedClients.insert(org_id, insert);
    });
  } catch (error) {
    if (isDuplicate(error, 'email_folded')) throw new AppError('email_taken', [], { cause: error });
    // An earlier attempt of the same request may have taken the last place.
    const added = error instanceof AppError && error.code === 'quota_exceeded' ? await clientById(caller, change.state._id) : null;
    if (added === null) throw error;
    return added;
  }
}

/** Inserts a client; one with a priced plan together with its subscription and first order. */
async function insertBilled(caller: Caller, change: Change<ClientState>): Promise<ClientRecord> {
  const { state } = change;
  if (state.plan_id === null) return insertChange(ClientModel, caller, change);
  const plan = await planById(caller, state.plan_id);
  if (plan === null) throw new AppError('plan_unknown');
  if (plan.price === 0) return insertChange(ClientModel, caller, change);
  const known = await clientById(caller, state._id);
  if (known !== null) return known;
  return billingTransaction(
    caller.principal.org_id,
    async (billing) => {
      await billClient(billing, caller, state, state, newId(caller, 'subscription'));
      return insertChange(ClientModel, billing, change);
    },
    caller,
  );
}

/** Gives places to clients without one. Those that were removed have none. */
export async function assignClientPlaces(): Promise<void> {
  await assignPlaces(ClientModel, { field: 'place', by: ['org_id'], live: { removed_at: null } });
}
