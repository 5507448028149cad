import { generateWebhookSecret, type WebhookEvent } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, newId } from '@webkiln/store';
import { openEndpoint, toWebhook, webhookAudited } from './endpoint.ts';
import { assertMayHear, assertUrlAllowed, type EndpointParts } from './endpoint-parts.ts';
import { addEndpoint, type EndpointRecord, endpointById } from './endpoint-store.ts';

/** A retried request returns the endpoint that the first one created, with its secret. */
export const createWebhook = (parts: EndpointParts) =>
  handle('webhooks.CreateWebhook', async (request, caller) => {
    const id = newId(caller);
    const endpoint = (await endpointById(caller, id)) ?? (await newEndpoint(parts, id, request, caller));
    return { webhook: { ...toWebhook(endpoint), secret: parts.secrets.openSecret(endpoint) }, etag: etagOf(endpoint) };
  });

async function newEndpoint(
  { outbound, secrets, actingMember, maxEndpoints }: EndpointParts,
  _id: string,
  { url, events }: IncomingRequest<'webhooks.CreateWebhook'>,
  caller: IncomingCaller,
): Promise<EndpointRecord> {
  assertMayHear(caller, events);
  await assertUrlAllowed(outbound, url);
  const { org_id } = caller.principal;
  const secret = secrets.sealSecret(org_id, generateWebhookSecret());
  const shown_to = await actingMember(caller);
  const now = new Date().toISOString();
  return addEndpoint(caller, await maxEndpoints(org_id), (place) => {
    const change = openEndpoint({ _id, org_id, url, events: events as WebhookEvent[], place, secret, shown_to }, now);
    return change.withAudit(webhookAudited(caller, 'webhook.created', change.state));
  });
}
