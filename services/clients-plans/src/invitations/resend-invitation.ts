import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { etagOf, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { inviteAgain, toClient } from '../clients/client.ts';
import { ClientModel, existingClient } from '../clients/client-store.ts';
import { isActivated } from './is-activated.ts';

export const resendInvitation = handle('clients.ResendInvitation', ({ client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const current = await existingClient(caller, client_id);
    const service = onBehalf('clients-plans', caller);
    const change = inviteAgain(current, newId(caller, 'invitation'), await isActivated(service, current));
    if (change !== null) await call('identity.CheckMailQuota', {}, service);
    const client = change === null ? current : await saveChange(ClientModel, caller, current, change);
    return { client: toClient(client), etag: etagOf(client) };
  }),
);
