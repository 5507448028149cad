import { AppError } from '@webkiln/contract';
import { authorship, type IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { retry } from '@webkiln/runtime';
import { assertMatches, etagOf, inTransaction, isDuplicate, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { filesOf, leaseManifests } from '../files/manifest-store.ts';
import { type StoredSite, siteOfTree, storeSite } from '../files/site-files.ts';
import { takeLabel } from '../projects/label-store.ts';
import { isOfJoined, projectAudited, type SiteAddresses, toProject } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord, projectById } from '../projects/project-store.ts';
import { assertNotTakenDown } from '../take-down/take-down.ts';
import { isClientSuspended } from './client-status.ts';
import { manifestsDroppedByPublish, publish, rollBack } from './deploy.ts';
import { publishWarnings } from './publish-warnings.ts';
import { siteName } from './site-name.ts';

const maxNameAttempts = 6;

/**
 * Stores all files before the one write that makes the deploy live. A retry finds the deploy of the earlier attempt.
 */
export const publishProject = (siteAddresses: SiteAddresses) =>
  handle('projects.PublishProject', async (request, caller) => {
    const id = newId(caller);
    const before = await existingProject(caller, request.project_id);
    assertMatches(caller, before);
    const isDone = ({ deploys }: ProjectRecord) => deploys.some((deploy) => deploy.id === id);
    const reply = async (project: ProjectRecord) => ({
      ...publishReply(project, id, siteAddresses),
      warnings: await publishWarnings(caller.principal, project.deploys.find((deploy) => deploy.id === id)?.manifest_id ?? null),
    });
    if (isDone(before)) return reply(before);
    assertNotTakenDown(before);
    const message = request.message?.trim() || null;
    const stored = { ...(await storeRequested(request, before, caller)), message };
    const live = await saveWithRetry(caller, async () => {
      const current = await existingProject(caller, request.project_id);
      if (isDone(current)) return current;
      assertNotTakenDown(current);
      return makeLive(id, stored, current, caller, siteAddresses);
    });
    return reply(live);
  });

type Request = IncomingRequest<'projects.PublishProject'>;

type Said = StoredSite & { message: string | null };

/** Published files become the draft, which is so never older than the live site. `keep` leaves a draft that exists. */
async function storeRequested(
  { builtFiles, draft }: Request,
  { draft_manifest_id, joined_place, insert_tracker }: ProjectRecord,
  caller: IncomingCaller,
): Promise<StoredSite> {
  const { principal, deadlineAt } = caller;
  const storing = { principal, deadlineAt, isJoined: isOfJoined({ joined_place }), insertsTracker: insert_tracker !== false };
  if (builtFiles.length > 0) return storeSite(storing, builtFiles, { asDraft: draft !== 'keep' || draft_manifest_id === null });
  return siteOfTree(storing, await filesOf(principal, draft_manifest_id));
}

/**
 * A concurrent change bumps the revision and makes the save fail; `applyClientStatus` does so for the client's status.
 */
async function makeLive(
  id: string,
  { manifestAt, tree, draftManifestId, message }: Said,
  current: ProjectRecord,
  caller: IncomingCaller,
  siteAddresses: SiteAddresses,
) {
  const { principal } = caller;
  const is_suspended = await isClientSuspended(caller, current.org_client_id);
  await leaseManifests(principal, manifestsDroppedByPublish(current));
  const publishing = { draftManifestId, is_suspended, siteAddresses, now: new Date().toISOString() };
  const act = projectAudited(caller, 'project.published', current);
  const { _id, org_id, subdomain: ownName } = current;
  const changeAs = async (subdomain: string) => {
    const manifest_id = await manifestAt(siteAddresses.site(subdomain));
    assertBeforeDeadline(caller);
    const deploy = { id, manifest_id, tree, message, ...authorship(caller) };
    return publish(current, { ...publishing, deploy, subdomain }).withAudit(act);
  };
  if (ownName !== null) return saveChange(ProjectModel, caller, current, await changeAs(ownName));
  const publishAs = async (subdomain: string) => {
    const change = await changeAs(subdomain);
    return inTransaction(
      ProjectModel,
      async (session) => {
        const clears_storage_until = await takeLabel({ org_id, session }, _id, subdomain);
        return saveChange(ProjectModel, { org_id, session }, current, change.withState({ clears_storage_until }));
      },
      caller,
    );
  };
  return retry((takenNames) => publishAs(siteName(current.name, takenNames)), {
    isRetryable: (error) => isDuplicate(error, 'subdomain') || (error instanceof AppError && error.code === 'subdomain_taken'),
    maxAttempts: maxNameAttempts,
  });
}

/** A kept deploy still references its files, so a rollback is a single write. */
export const rollBackDeploy = (siteAddresses: SiteAddresses) =>
  handle('projects.RollBackDeploy', ({ project_id, deploy_id }, caller) =>
    saveWithRetry(caller, async () => {
      const current = await projectById(caller, project_id);
      if (current === null) throw new AppError('deploy_not_found');
      assertMatches(caller, current);
      assertNotTakenDown(current);
      const change = rollBack(current, deploy_id, new Date().toISOString());
      if (change === null) return publishReply(current, deploy_id, siteAddresses);
      const act = projectAudited(caller, 'project.rolled_back', current);
      const project = await saveChange(ProjectModel, caller, current, change.withAudit(act));
      return publishReply(project, deploy_id, siteAddresses);
    }),
  );

/** The reply to publish and rollback: the deploy, and the project with its public address. */
function publishReply(record: ProjectRecord, deployId: string, siteAddresses: SiteAddresses) {
  const project = toProject(record, siteAddresses);
  return { url: project.published_url ?? '', deployId, status: 'ready', project, etag: etagOf(record) };
}
