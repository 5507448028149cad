import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { Contents } from '../contents/contents.ts';
import { publicFile } from '../resolutions/representation.ts';
import { pauseOf, siteOf } from '../resolutions/site.ts';
import { answersOf } from './capture-screenshot.ts';
import { dropImages, keepImage, replaceImage, replaceImagesBefore, storeImage } from './preview-image-store.ts';
import type { Screenshotter } from './screenshotter.ts';

const askTimeoutMs = 5000;

export interface PreviewImageDependencies {
  readonly screenshotter: Pick<Screenshotter, 'capture'>;
  readonly contents: Pick<Contents, 'loadAll'>;
  /** The address of the site with a name. */
  readonly siteOrigin: (name: string) => string;
}

/**
 * Gives a project the preview image of the deploy that is live now, which may be newer than the event. Each deploy is
 * captured once. If the capture fails, the project keeps the image of an earlier deploy.
 */
export async function refreshPreviewImage(
  project_id: string,
  name: string,
  { screenshotter, contents, siteOrigin }: PreviewImageDependencies,
): Promise<void> {
  const resolution = await call('sites.ResolveSite', { name }, asService(''));
  const { found, org_id, deploy_id } = resolution;
  const site = siteOf(resolution, publicFile);
  if (!found || resolution.project_id !== project_id) return;
  const tenant = { org_id };
  const pause = pauseOf(site);
  if (pause === 'taken_down') await dropImages(tenant, project_id);
  if (pause !== undefined) return;
  const liveAt = new Date();
  if (!(await keepImage(tenant, project_id, deploy_id, liveAt))) {
    const origin = siteOrigin(name);
    const screenshot = await screenshotter.capture({ url: `${origin}/`, answer: answersOf(site, origin, contents) });
    if (screenshot === undefined) return;
    await storeImage(tenant, deploy_id, { project_id, ...screenshot, live_at: liveAt });
  }
  const shown = await showImage(org_id, project_id, deploy_id);
  if (shown === undefined) await dropImages(tenant, project_id);
  else if (shown) await replaceImagesBefore(tenant, project_id, liveAt);
  else await replaceImage(tenant, project_id, deploy_id);
}

const asService = (orgId: string) => serviceCaller('sites', orgId, askTimeoutMs);

/** True if the image is now shown; false if another deploy is live; undefined if the project is deleted. */
async function showImage(org_id: string, project_id: string, deploy_id: string): Promise<boolean | undefined> {
  try {
    return (await call('sites.SetPreviewImage', { org_id, project_id, deploy_id }, asService(org_id))).shown;
  } catch (error) {
    if (error instanceof AppError && error.code === 'project_not_found') return undefined;
    throw error;
  }
}
