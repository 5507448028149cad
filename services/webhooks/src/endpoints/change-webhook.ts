import { generateWebhookSecret } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, newId, removeChange, saveChange, saveWithRetry } from '@webkiln/store';
import { changeEndpoint, type EndpointFields, endpointDeleted, rotateSecret, toWebhook, webhookAudited } from './endpoint.ts';
import { assertMayHear, assertUrlAllowed, type EndpointParts } from './endpoint-parts.ts';
import { EndpointModel, existingEndpoint } from './endpoint-store.ts';

export const updateWebhook = ({ outbound }: EndpointParts) =>
  handle('webhooks.UpdateWebhook', async (request, caller) => {
    const wanted = maskedFields<EndpointFields>(request);
    if (wanted.url !== undefined) await assertUrlAllowed(outbound, wanted.url);
    return saveWithRetry(caller, async () => {
      const current = await existingEndpoint(caller, request.webhook_id);
      assertMatches(caller, current);
      // Also whoever sends them elsewhere hears them.
      if (wanted.url !== undefined || wanted.events !== undefined) assertMayHear(caller, wanted.events ?? current.events);
      const change = changeEndpoint(current, wanted);
      const act = webhookAudited(caller, 'webhook.changed', { ...current, ...change?.state });
      const endpoint = change === null ? current : await saveChange(EndpointModel, caller, current, change.withAudit(act));
      return { webhook: toWebhook(endpoint), etag: etagOf(endpoint) };
    });
  });

export const rotateWebhookSecret = ({ secrets, actingMember }: EndpointParts) =>
  handle('webhooks.RotateWebhookSecret', async ({ webhook_id }, caller) => {
    const rotation = newId(caller, 'rotation');
    const secret = secrets.sealSecret(caller.principal.org_id, generateWebhookSecret());
    const shown_to = await actingMember(caller);
    return saveWithRetry(caller, async () => {
      const current = await existingEndpoint(caller, webhook_id);
      const change = rotateSecret(current, { secret, rotation, shown_to }, new Date());
      const audited = webhookAudited(caller, 'webhook.rotated', current);
      if (change !== null) assertMatches(caller, current);
      const endpoint = change === null ? current : await saveChange(EndpointModel, caller, current, change.withAudit(audited));
      return { webhook: { ...toWebhook(endpoint), secret: secrets.openSecret(endpoint) }, etag: etagOf(endpoint) };
    });
  });

/** The `webhook.deleted` consumer deletes the deliveries, so a crash in between leaves none behind. */
export const deleteWebhook = handle('webhooks.DeleteWebhook', ({ webhook_id }, caller) =>
  saveWithRetry(caller, async () => {
    const endpoint = await existingEndpoint(caller, webhook_id);
    assertMatches(caller, endpoint);
    await removeChange(EndpointModel, caller, endpoint, [endpointDeleted(endpoint), webhookAudited(caller, 'webhook.deleted', endpoint)]);
    return { deleted: true, id: webhook_id };
  }),
);
