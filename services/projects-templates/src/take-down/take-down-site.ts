import { AppError, siteNames, validate } from '@webkiln/contract';
import type { Caller, Change } from '@webkiln/messages';
import { handle, type UseCase } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { findPreview } from '../previews/preview-store.ts';
import { projectThatLeft } from '../projects/label-store.ts';
import type { SiteAddresses } from '../projects/project.ts';
import type { ProjectState } from '../projects/project-state.ts';
import { ProjectModel, type ProjectRecord, projectAnywhere, projectById, projectBySiteName } from '../projects/project-store.ts';
import { Reason, restore, takeDown } from './take-down.ts';

export const takeDownUseCases = (sites: Sites): UseCase[] => [takeDownSite(sites), restoreSite(sites)];

/** Shows a notice instead of a site and its previews, whatever its owner publishes. */
const takeDownSite = (sites: Sites) =>
  handle('sites.TakeDownSite', ({ site, ...rest }, caller) => {
    const { reason } = validate(Reason, rest);
    return changeSite(caller, sites, site, (current) => takeDown(caller, current, reason, new Date().toISOString()));
  });

/** Shows the site again, with the deploy that is live. */
const restoreSite = (sites: Sites) =>
  handle('sites.RestoreSite', ({ site }, caller) => changeSite(caller, sites, site, (current) => restore(caller, current)));

interface Sites {
  readonly find: (site: string) => Promise<ProjectRecord>;
  readonly addresses: SiteAddresses;
}

/** Applies an operator's decision to a site of any organization; null changes nothing. */
async function changeSite(
  caller: Caller,
  { find, addresses }: Sites,
  site: string,
  decide: (current: ProjectRecord) => Change<Partial<ProjectState>> | null,
) {
  if (caller.principal.kind !== 'operator') throw new AppError('permission_missing');
  const project = await saveWithRetry(caller, async () => {
    const current = await find(site);
    const change = decide(current);
    return change === null ? current : saveChange(ProjectModel, { org_id: current.org_id }, current, change);
  });
  const { _id, org_id, name, subdomain, taken_down_at, taken_down_reason } = project;
  const url = subdomain === null ? undefined : addresses.site(subdomain);
  return {
    site: { project_id: _id, org_id, name, url, taken_down_at: taken_down_at ?? undefined, reason: taken_down_reason ?? undefined },
  };
}

/** The origins below which sites and previews have their addresses. */
interface Domains {
  readonly SITES_ORIGIN: string;
  readonly PREVIEW_ORIGIN: string;
}

/**
 * Finds what an operator names: an address of a site or a preview, the site's name in it, or the project's id. Throws
 * `project_not_found`.
 */
export function siteFinder({ SITES_ORIGIN, PREVIEW_ORIGIN }: Domains): (site: string) => Promise<ProjectRecord> {
  const siteName = siteNames(new URL(SITES_ORIGIN).hostname);
  const previewToken = siteNames(new URL(PREVIEW_ORIGIN).hostname);
  return async (site) => {
    const host = URL.parse(site.includes('://') ? site : `http://${site}`)?.hostname ?? '';
    const token = previewToken(host);
    const name = siteName(host) ?? host;
    const found = token === undefined ? await named(name) : await previewed(token);
    if (found === null) throw new AppError('project_not_found');
    return found;
  };
}

/** A label that a site has left leads to it, too: what was reported there may have moved since. */
const named = async (name: string): Promise<ProjectRecord | null> =>
  (await projectBySiteName(name)) ?? (await projectThatLeft(name)) ?? (await projectAnywhere(name));

async function previewed(token: string): Promise<ProjectRecord | null> {
  const preview = await findPreview(token, new Date());
  return preview && projectById(preview, preview.project_id);
}
