import { generateWebhookSecret, type WebhookEvent } from '@webkiln/contract';
import { handle, type IncomingCaller, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, newId } from '@webkiln/store';
import { assertUrlAllowed } from './assert-url-allowed.ts';
import { openEndpoint, toWebhook } from './endpoint.ts';
import type { EndpointParts } from './endpoint-parts.ts';
import { addEndpoint, type EndpointRecord, endpointById } from './endpoint-store.ts';

/** An earlier attempt's endpoint is the answer, with the secret that it was given. */
export const createWebhook = (parts: EndpointParts) =>
  handle('webhooks.CreateWebhook', async (request, caller) => {
    const id = newId(caller);
    const endpoint = (await endpointById(caller, id)) ?? (await makeEndpoint(parts, id, request, caller));
    return { webhook: { ...toWebhook(endpoint), secret: parts.secrets.show(endpoint) }, etag: etagOf(endpoint) };
  });

async function makeEndpoint(
  { outbound, secrets, endpointsMost }: EndpointParts,
  _id: string,
  { url, events }: IncomingRequest<'webhooks.CreateWebhook'>,
  caller: IncomingCaller,
): Promise<EndpointRecord> {
  await assertUrlAllowed(outbound, url);
  const { org_id } = caller.principal;
  const secret = secrets.keep(org_id, generateWebhookSecret());
  const now = new Date().toISOString();
  return addEndpoint(caller, endpointsMost, (place) =>
    openEndpoint({ _id, org_id, url, events: events as WebhookEvent[], place, secret }, now),
  );
}
