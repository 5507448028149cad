import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toWebhook } from './endpoint.ts';
import { shownEndpoint } from './endpoint-store.ts';

export const getWebhook = handle('webhooks.GetWebhook', async ({ webhook_id }, caller) => {
  const endpoint = await shownEndpoint(caller, webhook_id);
  return { webhook: toWebhook(endpoint), etag: etagOf(endpoint) };
});
