import { consume } from '@webkiln/events';
import { callerFor, servicePrincipal } from '@webkiln/rpc';
import { saveChange, saveWithRetry, scoped, type Tenant } from '@webkiln/store';
import { isSuspended } from '../deploys/client-status.ts';
import { followClient } from '../projects/project.ts';
import { ProjectModel, projectById } from '../projects/project-store.ts';

const askTimeoutMs = 5000;

/** Shows on a client's sites that it was suspended, has left or is back. Events come in any order: the status is what it is now. */
export const onClientUpdated = () =>
  consume({
    name: 'projects-templates-on-client-updated',
    types: ['client.updated'],
    atOnce: 4,
    effect: async ({ org_id, data: { client, previous } }) => {
      if (previous.status === undefined) return;
      const projects = await scoped(ProjectModel, { org_id }).find({ org_client_id: client.id }, { fields: [] });
      for (const { _id } of projects) await follow({ org_id }, client.id, _id);
    },
  });

/** The status is asked for between reading the project and saving it, so that of two that do this at once the later status stands. */
const follow = (tenant: Tenant, clientId: string, projectId: string) =>
  saveWithRetry({}, async () => {
    const project = await projectById(tenant, projectId);
    if (project === null) return;
    const caller = callerFor(servicePrincipal('projects-templates', tenant.org_id), { timeoutMs: askTimeoutMs });
    await saveChange(ProjectModel, tenant, project, followClient(project, await isSuspended(caller, clientId)));
  });
