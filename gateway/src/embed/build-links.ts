import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { RequestHandler } from 'express';
import type { AddressQuota } from '../rate-limit/address-quota.ts';
import { securityHeaders } from '../security-headers.ts';

const headers = [...securityHeaders(), 'Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'no-store'];

/**
 * `GET {origin}/api/build-links/{id}`: what a build link asks for, for its page. Without a credential: strangers open
 * links.
 */
export const showBuildLink =
  (count: AddressQuota, timeoutMs: number): RequestHandler<{ id: string }> =>
  async (request, response) => {
    await count(request);
    const caller = callerFor(servicePrincipal('gateway', ''), { timeoutMs });
    const {
      prompt = null,
      template_id = null,
      model = null,
    } = await call('embed.OpenBuildLink', { build_link_id: request.params.id }, caller);
    response.writeHead(200, headers).end(JSON.stringify({ prompt, template_id, model }));
  };
