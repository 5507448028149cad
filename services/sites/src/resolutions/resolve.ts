import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { draftFile, publicFile } from './representation.ts';
import { type Site, siteOf } from './site.ts';

const rpcTimeoutMs = 2000;
const sites = servicePrincipal('sites', '');
const caller = () => callerFor(sites, { timeoutMs: rpcTimeoutMs });

/** The site that is live under a name. */
export async function resolveSite(name: string): Promise<Site | null> {
  const resolution = await call('sites.ResolveSite', { name }, caller());
  if (!resolution.found && resolution.moved_to === '') return null;
  const { moved_to, clears_storage_until } = resolution;
  const clears = clears_storage_until !== '' && { clearsStorageUntil: Date.parse(clears_storage_until) };
  const isOfJoined = resolution.joined_by_link;
  return { ...siteOf(resolution, publicFile), isOfJoined, ...clears, ...(moved_to !== '' && { movedTo: moved_to }) };
}

/** The draft that a preview token leads to. */
export async function resolvePreview(token: string): Promise<Site | null> {
  const resolution = await call('sites.ResolvePreview', { token }, caller());
  return resolution.found
    ? { ...siteOf({ ...resolution, headers: [], earlier_files: [] }, draftFile), expiresAt: Date.parse(resolution.expires_at) }
    : null;
}
