import { AppError } from '@webkiln/contract';
import { type Caller, type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingReply } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { defaultPlanOf } from '../plans/plan-store.ts';
import { addClient } from './add-client.ts';
import { activate } from './admit-client-user.ts';
import { clientAudited, isPaused, joinAsClient } from './client.ts';
import { type ClientRecord, clientByEmail, existingClient } from './client-store.ts';

type Joining = IncomingReply<'identity.GetJoining'>;

const full = 'This agency takes no further clients at the moment: ask it';

/** The client comes first, then its user. A process that dies in between leaves what the next attempt completes. */
export const joinOrganization = handle('clients.JoinOrganization', async ({ organization }, caller) => {
  const { account_id } = caller.principal;
  if (account_id === undefined) throw new AppError('session_required');
  const joining = await call('identity.GetJoining', { organization, account_id }, onBehalf('clients-plans', caller));
  const organization_id = joining.org_id;
  if (joining.belongs) return { organization_id };
  const service = onBehalf('clients-plans', caller, organization_id);
  const { _id, user_id } = await joinedClient(service, joining, caller);
  await call('identity.AttachAccount', { user_id, client_id: _id, account_id }, service);
  return { organization_id };
});

const joinedClient = (service: Caller, joining: Joining, caller: IncomingCaller): Promise<ClientRecord> =>
  saveWithRetry(service, async () => {
    const known = (await clientByEmail(service, joining.email)) ?? (await addedClient(service, joining, caller));
    const client = await existingClient(service, known._id);
    if (isPaused(client)) throw new AppError('client_paused');
    await activate(service, client);
    return client;
  });

/** The client that another attempt added meanwhile, if it was faster. */
async function addedClient(service: Caller, { email, name }: Joining, caller: IncomingCaller): Promise<{ _id: string }> {
  const plan_id = await defaultPlanOf(service);
  const draft = { _id: newId(caller), user_id: newId(caller, 'user'), email, name: name ?? null, company: null, plan_id };
  const change = joinAsClient(draft, new Date().toISOString());
  try {
    return await addClient(service, change.withAudit(clientAudited(service, 'client.created', change.state)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'quota_exceeded') throw new AppError('quota_exceeded', [{ path: '', message: full }], { cause: error });
    const other = error.code === 'email_taken' ? await clientByEmail(service, email) : null;
    if (other === null) throw error;
    return other;
  }
}
