import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toWebhook, toWebhookSecret } from './endpoint.ts';
import { endpointPage, shownEndpoint } from './endpoint-store.ts';

export const listWebhooks = handle('webhooks.ListWebhooks', async (page, caller) => {
  const { records, total, next_cursor } = await endpointPage(caller, page);
  return { webhooks: records.map(toWebhook), total, next_cursor };
});

export const listWebhookSecrets = handle('webhooks.ListWebhookSecrets', async (page, caller) => {
  const { records, total, next_cursor } = await endpointPage(caller, page);
  return { webhook_secrets: records.map(toWebhookSecret), total, next_cursor };
});

export const getWebhook = handle('webhooks.GetWebhook', async ({ webhook_id }, caller) => {
  const endpoint = await shownEndpoint(caller, webhook_id);
  return { webhook: toWebhook(endpoint), etag: etagOf(endpoint) };
});
