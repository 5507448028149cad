import { handle } from '@webkiln/rpc';
import { etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { handOver, projectAudited, type SiteAddresses, toProject } from './project.ts';
import { ownerByEmail } from './project-owner.ts';
import { saveAtClientPlaces } from './project-places.ts';
import { existingProject, ProjectModel } from './project-store.ts';

/** A project that the client has already stays as it is, so a retry changes nothing. */
export const handOverProject = (siteAddresses: SiteAddresses) =>
  handle('projects.HandOverProject', ({ project_id, client_email }, caller) =>
    saveWithRetry(caller, async () => {
      const current = await existingProject(caller, project_id);
      const client = await ownerByEmail(caller, client_email);
      if (current.org_client_id === client.client_id) return { project: toProject(current, siteAddresses), etag: etagOf(current) };
      const change = handOver(current, client, new Date().toISOString()).withAudit(projectAudited(caller, 'project.handed_over', current));
      const project = await saveAtClientPlaces(caller, client, (places) =>
        saveChange(ProjectModel, caller, current, change.withState(places)),
      );
      return { project: toProject(project, siteAddresses), etag: etagOf(project) };
    }),
  );
