import { AppError, siteNames } from '@webkiln/contract';
import { findPreview } from '../previews/preview-store.ts';
import { type ProjectRecord, projectById } from '../projects/project-store.ts';
import { projectAnywhere, projectBySiteName } from '../projects/projects-anywhere.ts';

/** The origins below which sites and previews have their addresses. */
export interface Domains {
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
    const found = token === undefined ? ((await projectBySiteName(name)) ?? (await projectAnywhere(name))) : await previewed(token);
    if (found === null) throw new AppError('project_not_found');
    return found;
  };
}

async function previewed(token: string): Promise<ProjectRecord | null> {
  const preview = await findPreview(token, new Date());
  return preview && projectById(preview, preview.project_id);
}
