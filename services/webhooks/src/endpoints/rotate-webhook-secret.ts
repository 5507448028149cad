import { generateWebhookSecret } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertMatches, etagOf, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { rotateSecret, toWebhook, webhookAudited } from './endpoint.ts';
import type { EndpointParts } from './endpoint-parts.ts';
import { EndpointModel, existingEndpoint } from './endpoint-store.ts';

export const rotateWebhookSecret = ({ secrets }: EndpointParts) =>
  handle('webhooks.RotateWebhookSecret', ({ webhook_id }, caller) => {
    const rotation = newId(caller, 'rotation');
    const secret = secrets.sealSecret(caller.principal.org_id, generateWebhookSecret());
    return saveWithRetry(caller, async () => {
      const current = await existingEndpoint(caller, webhook_id);
      const change = rotateSecret(current, secret, rotation, new Date());
      const audited = webhookAudited(caller, 'webhook.rotated', current);
      if (change !== null) assertMatches(caller, current);
      const endpoint = change === null ? current : await saveChange(EndpointModel, caller, current, change.withAudit(audited));
      return { webhook: { ...toWebhook(endpoint), secret: secrets.openSecret(endpoint) }, etag: etagOf(endpoint) };
    });
  });
