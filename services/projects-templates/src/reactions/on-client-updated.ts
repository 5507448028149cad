import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { saveChange, saveWithRetry, scoped, type Tenant } from '@webkiln/store';
import { isClientSuspended } from '../deploys/client-status.ts';
import { applyClientStatus } from '../projects/project.ts';
import { ProjectModel, projectById } from '../projects/project-store.ts';

const statusTimeoutMs = 5000;

/**
 * Suspends or resumes a client's sites with the client, and a site that was handed over with its new client. Events may
 * arrive out of order, so the current status is read.
 */
export const onClientUpdated = () =>
  consume({
    ...consumerOf('projects-templates-on-client-updated'),
    concurrency: 4,
    transactionalHandler: async ({ org_id, type, data }) => {
      // The handover itself has made a concurrent publish retry: without a change, its ETag stays.
      if (type === 'internal.project.moved') return updateSuspension({ org_id }, data.project_id, { onlyChanges: true });
      if (data.previous.status === undefined) return;
      const projects = await scoped(ProjectModel, { org_id }).find({ org_client_id: data.client.id }, { fields: [] });
      for (const { _id } of projects) await updateSuspension({ org_id }, _id);
    },
  });

/**
 * Reads the status after the project and before the save: of two concurrent runs the one with the older status has to
 * retry.
 */
const updateSuspension = (tenant: Tenant, projectId: string, { onlyChanges = false } = {}) =>
  saveWithRetry({}, async () => {
    const project = await projectById(tenant, projectId);
    if (project === null) return;
    const caller = serviceCaller('projects-templates', tenant.org_id, statusTimeoutMs);
    const isSuspended = await isClientSuspended(caller, project.org_client_id);
    if (onlyChanges && isSuspended === project.is_suspended) return;
    await saveChange(ProjectModel, tenant, project, applyClientStatus(project, isSuspended));
  });
