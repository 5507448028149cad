import { handle } from '@webkiln/rpc';
import { toWebhook } from './endpoint.ts';
import { endpointPage } from './endpoint-store.ts';

export const listWebhooks = handle('webhooks.ListWebhooks', async ({ limit, offset }, caller) => {
  const { records, total } = await endpointPage(caller, { limit, offset });
  return { webhooks: records.map(toWebhook), total };
});
