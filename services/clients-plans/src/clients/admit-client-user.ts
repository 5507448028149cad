import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { planById } from '../plans/plan-store.ts';
import { changeClient, clientAudited, isPaused } from './client.ts';
import { ClientModel, type ClientRecord, clientByEmail, clientById } from './client-store.ts';

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
export async function activate(caller: Caller, client: ClientRecord): Promise<void> {
  const change = changeClient(client, { status: 'active' });
  if (change === null) return;
  const act = clientAudited(caller, 'client.changed', client);
  await saveChange(ClientModel, caller, client, change.withAudit(act));
}
