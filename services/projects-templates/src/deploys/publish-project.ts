import { handle, type IncomingCaller, type IncomingRequest } from '@webkiln/rpc';
import { assertMatches, isDuplicate, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { filesOf, holdManifest, storeManifest } from '../files/manifest-store.ts';
import { type SiteTree, siteOfTree, storeSite } from '../files/site-files.ts';
import type { SiteAddresses } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord } from '../projects/project-store.ts';
import { isSuspended } from './client-status.ts';
import { droppedBy, publish } from './deploy.ts';
import { published } from './published.ts';
import { siteName } from './site-name.ts';

const mostNames = 5;

/** Everything is stored before the one write that switches visitors over; a repeat finds the deploy that an earlier attempt made. */
export const publishProject = (siteAddresses: SiteAddresses) =>
  handle('projects.PublishProject', async (request, caller) => {
    const id = newId(caller);
    const before = await existingProject(caller, request.project_id);
    assertMatches(caller, before);
    const isDone = ({ deploys }: ProjectRecord) => deploys.some((deploy) => deploy.id === id);
    if (isDone(before)) return published(before, id, siteAddresses);
    const site = await siteToPublish(request, before, caller);
    return saveWithRetry(caller, async () => {
      const current = await existingProject(caller, request.project_id);
      if (isDone(current)) return published(current, id, siteAddresses);
      return published(await switchTo(id, site, current, caller, siteAddresses), id, siteAddresses);
    });
  });

type Request = IncomingRequest<'projects.PublishProject'>;

const siteToPublish = async ({ builtFiles }: Request, { draft_manifest_id }: ProjectRecord, caller: IncomingCaller): Promise<SiteTree> =>
  builtFiles.length > 0 ? storeSite(caller, builtFiles) : siteOfTree(caller, await filesOf(caller.principal, draft_manifest_id));

/** Of all that may have changed meanwhile the revision tells, the client's status included: see followClient. */
async function switchTo(
  id: string,
  { manifestId, tree }: SiteTree,
  current: ProjectRecord,
  caller: IncomingCaller,
  siteAddresses: SiteAddresses,
) {
  const { principal } = caller;
  const is_suspended = await isSuspended(caller, current.org_client_id);
  const draft_manifest_id = current.draft_manifest_id ?? (await storeManifest(principal, tree));
  for (const dropped of droppedBy(current)) await holdManifest(principal, dropped);
  assertInTime(caller);
  const publishing = {
    deploy: { id, manifest_id: manifestId, tree },
    draft_manifest_id,
    is_suspended,
    siteAddresses,
    now: new Date().toISOString(),
  };
  for (let attempt = 0; ; attempt++) {
    const subdomain = current.subdomain ?? siteName(current.name, attempt);
    try {
      return await saveChange(ProjectModel, caller, current, publish(current, { ...publishing, subdomain }));
    } catch (error) {
      if (!isDuplicate(error, 'subdomain') || attempt === mostNames) throw error;
    }
  }
}
