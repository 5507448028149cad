import { AppError } from '@webkiln/contract';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import type { Contents } from '../contents/contents.ts';
import { cacheControl } from '../resolutions/cache-control.ts';
import { siteOf } from '../resolutions/site.ts';
import { answersOf } from './deploy-answers.ts';
import type { Photographer } from './photographer.ts';
import { dropImages, keepImage, replaceImage, replaceImagesBefore, storeImage } from './preview-image-store.ts';

const askTimeoutMs = 5000;

export interface Studio {
  readonly photographer: Pick<Photographer, 'take'>;
  readonly contents: Pick<Contents, 'load'>;
  /** The address of the site with a name. */
  readonly siteOrigin: (name: string) => string;
}

/**
 * Sees to it that a project has the picture of what is live now, whatever was when it was told to: of many deploys in a row the newest has one, and
 * each deploy is photographed once. A page of which there is no picture to be had keeps the one of an earlier deploy.
 */
export async function refreshPreviewImage(project_id: string, name: string, { photographer, contents, siteOrigin }: Studio): Promise<void> {
  const resolution = await call('sites.ResolveSite', { name }, asService(''));
  const { found, suspended, org_id, deploy_id } = resolution;
  if (!found || suspended || resolution.project_id !== project_id) return;
  const site = siteOf(resolution, cacheControl);
  const tenant = { org_id };
  const liveAt = new Date();
  if (!(await keepImage(tenant, project_id, deploy_id, liveAt))) {
    const origin = siteOrigin(name);
    const image = await photographer.take({ url: `${origin}/`, answer: answersOf(site, origin, contents) });
    if (image === undefined) return;
    await storeImage(tenant, project_id, deploy_id, image, liveAt);
  }
  const shown = await tell(org_id, project_id, deploy_id);
  if (shown === undefined) await dropImages(tenant, project_id);
  else if (shown) await replaceImagesBefore(tenant, project_id, liveAt);
  else await replaceImage(tenant, project_id, deploy_id);
}

const asService = (orgId: string) => callerFor(servicePrincipal('sites', orgId), { timeoutMs: askTimeoutMs });

/** Whether the picture is shown now: not if another deploy is live; undefined where the project is gone. */
async function tell(org_id: string, project_id: string, deploy_id: string): Promise<boolean | undefined> {
  try {
    return (await call('sites.SetPreviewImage', { org_id, project_id, deploy_id }, asService(org_id))).shown;
  } catch (error) {
    if (error instanceof AppError && error.code === 'project_not_found') return undefined;
    throw error;
  }
}
