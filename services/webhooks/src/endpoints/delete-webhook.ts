import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { endpointDeleted, webhookAudited } from './endpoint.ts';
import { EndpointModel, existingEndpoint } from './endpoint-store.ts';

/** The `webhook.deleted` consumer deletes the deliveries, so a crash in between leaves none behind. */
export const deleteWebhook = handle('webhooks.DeleteWebhook', ({ webhook_id }, caller) =>
  saveWithRetry(caller, async () => {
    const endpoint = await existingEndpoint(caller, webhook_id);
    assertMatches(caller, endpoint);
    await removeChange(EndpointModel, caller, endpoint, [endpointDeleted(endpoint), webhookAudited(caller, 'webhook.deleted', endpoint)]);
    return { deleted: true, id: webhook_id };
  }),
);
