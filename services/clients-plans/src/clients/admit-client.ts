import { AppError } from '@webkiln/contract';
import { type Caller, type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingReply } from '@webkiln/rpc';
import { newId, saveChange, saveWithRetry } from '@webkiln/store';
import { defaultPlanOf, planById } from '../plans/plan-store.ts';
import { changeClient, clientAudited, isPaused, joinAsClient } from './client.ts';
import { ClientModel, type ClientRecord, clientByEmail, clientById, existingClient } from './client-store.ts';
import { addClient } from './create-client.ts';

export const admitClientUser = handle('clients.AdmitClientUser', ({ email, client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const client = await wantedClient(caller, email, client_id);
    if (client === null) return {};
    if (isPaused(client)) throw new AppError('client_paused');
    await activate(caller, client);
    const plan = client.plan_id === null ? null : await planById(caller, client.plan_id);
    return {
      client_id: client._id,
      user_id: client.user_id,
      max_sites: plan?.max_sites,
      max_ai_messages_daily: plan?.max_ai_messages_daily,
    };
  }),
);

async function wantedClient(caller: Caller, email: string | undefined, id: string | undefined): Promise<ClientRecord | null> {
  const _id = id ?? (email === undefined ? undefined : (await clientByEmail(caller, email))?._id);
  return _id === undefined ? null : clientById(caller, _id);
}

/** Makes an invited client active. It has proven its identity. */
async function activate(caller: Caller, client: ClientRecord): Promise<void> {
  const change = changeClient(client, { status: 'active' });
  if (change === null) return;
  const act = clientAudited(caller, 'client.changed', client);
  await saveChange(ClientModel, caller, client, change.withAudit(act));
}

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
