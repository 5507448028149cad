import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { assertUrlAllowed } from './assert-url-allowed.ts';
import { changeEndpoint, type EndpointFields, toWebhook, webhookAudited } from './endpoint.ts';
import type { EndpointParts } from './endpoint-parts.ts';
import { EndpointModel, existingEndpoint } from './endpoint-store.ts';

export const updateWebhook = ({ outbound }: EndpointParts) =>
  handle('webhooks.UpdateWebhook', async (request, caller) => {
    const wanted = maskedFields<EndpointFields>(request);
    if (wanted.url !== undefined) await assertUrlAllowed(outbound, wanted.url);
    return saveWithRetry(caller, async () => {
      const current = await existingEndpoint(caller, request.webhook_id);
      assertMatches(caller, current);
      const change = changeEndpoint(current, wanted);
      const act = webhookAudited(caller, 'webhook.changed', { ...current, ...change?.state });
      const endpoint = change === null ? current : await saveChange(EndpointModel, caller, current, change.withAudit(act));
      return { webhook: toWebhook(endpoint), etag: etagOf(endpoint) };
    });
  });
