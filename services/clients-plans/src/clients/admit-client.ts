import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingReply } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { defaultPlanOf } from '../plans/plan-store.ts';
import { accessOf, activeClient, changeClient, clientAudited, isPaused } from './client.ts';
import { ClientModel, type ClientRecord, clientByEmail, clientById, existingClient } from './client-store.ts';
import { addClient } from './create-client.ts';
import { allowanceOf } from './read-clients.ts';

export const admitClientUser = handle('clients.AdmitClientUser', ({ email, client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const client = await wantedClient(caller, email, client_id);
    if (client === null) return {};
    if (isPaused(client)) throw new AppError('client_paused');
    await activate(caller, client);
    const { max_ai_messages_daily, ...allowance } = await allowanceOf(caller, client);
    return { client_id: client._id, user_id: client.user_id, max_ai_messages_daily, ...allowance };
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
const withoutPlan = 'This agency takes no clients by a link at the moment, since it has no default plan: ask it';

/**
 * The client comes first, then its user, whose requests count as a joined client's from the first one on. A process
 * that dies in between leaves what the next attempt completes.
 */
export const joinOrganization = handle('clients.JoinOrganization', async ({ account_id, build_link_id }, caller) => {
  const organization_id = caller.principal.org_id;
  const service = onBehalf('clients-plans', caller);
  const joining = await call('identity.GetJoining', { account_id }, service);
  if (joining.belongs) return { organization_id };
  const client = await joinedClient(service, joining, build_link_id);
  await call('identity.SetUserAccess', accessOf(client), service);
  await call('identity.AttachAccount', { user_id: client.user_id, client_id: client._id, account_id }, service);
  return { organization_id };
});

const joinedClient = (service: Caller, joining: Joining, build_link_id: string | undefined): Promise<ClientRecord> =>
  saveWithRetry(service, async () => {
    const known = (await clientByEmail(service, joining.email)) ?? (await addedClient(service, joining, build_link_id));
    const client = await existingClient(service, known._id);
    if (isPaused(client)) throw new AppError('client_paused');
    await activate(service, client);
    return client;
  });

/** The client that another attempt added meanwhile, if it was faster. */
async function addedClient(service: Caller, { email, name }: Joining, joined_by: string | undefined): Promise<{ _id: string }> {
  if (joined_by === undefined) throw new AppError('joining_not_allowed');
  const plan_id = await defaultPlanOf(service);
  if (plan_id === null) throw new AppError('default_plan_missing', [{ path: '', message: withoutPlan }]);
  const draft = { _id: randomUUID(), user_id: randomUUID(), email, name: name ?? null, company: null, plan_id };
  const change = activeClient(draft, joined_by, new Date().toISOString());
  try {
    return await addClient(service, change.withAudit(clientAudited(service, 'client.created', change.state)));
  } catch (error) {
    if (!(error instanceof AppError) || !['email_taken', 'quota_exceeded'].includes(error.code)) throw error;
    const other = await clientByEmail(service, email);
    if (other !== null) return other;
    if (error.code === 'email_taken') throw error;
    throw new AppError('quota_exceeded', [{ path: '', message: full }], { cause: error });
  }
}

/**
 * Makes the organization its own client: a member's verified address may own projects although nobody invited it. Of
 * several attempts at once one adds the client.
 */
export const admitOwnClient = handle('clients.AdmitOwnClient', async ({ email: wanted, actor }, caller) => {
  const service = onBehalf('clients-plans', caller);
  const { email, organization_name: name } = await call('identity.GetMemberAddress', { email: wanted }, service);
  if (email === undefined) throw new AppError('client_not_found');
  if ((await clientByEmail(service, email)) !== null) return {};
  const draft = { _id: randomUUID(), user_id: randomUUID(), email, name, company: name, plan_id: null };
  const change = activeClient(draft, null, new Date().toISOString());
  try {
    await addClient(service, change.withAudit(clientAudited(service, 'client.created', change.state, actor ?? undefined)));
  } catch (error) {
    if ((await clientByEmail(service, email)) === null) throw error;
  }
  return {};
});

/** For embed, before a link allows joining. */
export const assertDefaultPlan = handle('clients.AssertDefaultPlan', async (_request, caller) => {
  if ((await defaultPlanOf(caller)) === null) throw new AppError('default_plan_missing');
  return {};
});
