import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { Request, RequestHandler } from 'express';
import type { AddressQuota } from '../admission/quotas.ts';
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
    const caller = serviceCaller('gateway', '', timeoutMs);
    const link = await call('embed.OpenBuildLink', { build_link_id: request.params.id }, caller);
    const { org_id, prompt = null, template_id = null, model = null, allows_joining } = link;
    const organization = await agency(org_id, timeoutMs);
    response.writeHead(200, headers).end(JSON.stringify({ prompt, template_id, model, allows_joining, organization }));
  };

/** The agency of a link. Throws if there is no such link, or too many were asked for. */
export async function agencyOfLink(request: Request, id: string, count: AddressQuota, timeoutMs: number) {
  await count(request);
  const { org_id } = await call('embed.OpenBuildLink', { build_link_id: id }, serviceCaller('gateway', '', timeoutMs));
  return agency(org_id, timeoutMs);
}

/** The public facts about the agency of a link. Throws `organization_not_found`. */
async function agency(id: string, timeoutMs: number) {
  const { brand } = await call('identity.GetBrand', {}, serviceCaller('gateway', id, timeoutMs));
  if (!brand) throw new AppError('organization_not_found');
  const { name, logo_url: logo = null, accent_color: accent = null } = brand;
  return { id, name, logo, accent };
}
