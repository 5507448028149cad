import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { endpointDeleted } from './endpoint.ts';
import { EndpointModel, existingEndpoint } from './endpoint-store.ts';

/** Nothing is sent to an endpoint that is not there; its deliveries go by the event, whoever dies. */
export const deleteWebhook = handle('webhooks.DeleteWebhook', ({ webhook_id }, caller) =>
  saveWithRetry(caller, async () => {
    const endpoint = await existingEndpoint(caller, webhook_id);
    assertMatches(caller, endpoint);
    await removeChange(EndpointModel, caller, endpoint, [endpointDeleted(endpoint)]);
    return { deleted: true, id: webhook_id };
  }),
);
