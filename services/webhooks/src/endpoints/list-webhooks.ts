import { handle } from '@webkiln/rpc';
import { toWebhook } from './endpoint.ts';
import { endpointPage } from './endpoint-store.ts';

export const listWebhooks = handle('webhooks.ListWebhooks', async (page, caller) => {
  const { records, total, next_cursor } = await endpointPage(caller, page);
  return { webhooks: records.map(toWebhook), total, next_cursor };
});
