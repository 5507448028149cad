import { AppError } from '@webkiln/contract';
import type { Caller, Change } from '@webkiln/messages';
import { placedQuota, placedShare } from '@webkiln/org-policy';
import { handle } from '@webkiln/rpc';
import { assignPlaces, etagOf, insertChange, isDuplicate, newId, type PlaceIndex } from '@webkiln/store';
import { assertPlanExists } from '../plans/plan-store.ts';
import { type ClientState, clientAudited, inviteClient, toClient } from './client.ts';
import { ClientModel, type ClientRecord, clientById } from './client-store.ts';

export const createClient = handle('clients.CreateClient', async (request, caller) => {
  const { email, name = null, company = null, plan_id = null } = request;
  if (plan_id !== null) await assertPlanExists(caller, plan_id);
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

/** Adds a client. Throws `quota_exceeded`, or `email_taken` if another client of the organization has the email. */
export async function addClient(caller: Caller, change: Change<ClientState>): Promise<ClientRecord> {
  const { org_id } = caller.principal;
  try {
    return await clientQuota.insert(org_id, (place) => {
      const insert = (joined_place: number | null) => insertChange(ClientModel, caller, change.withState({ place, joined_place }));
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

/** Gives places to clients without one. Those that were removed have none. */
export async function assignClientPlaces(): Promise<void> {
  await assignPlaces(ClientModel, { field: 'place', by: ['org_id'], live: { removed_at: null } });
}
