import { Change } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { inTransaction, type Session, saveChange, saveWithRetry } from '@webkiln/store';
import { siteChanged } from '../projects/project.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import { existingDomain, removeDomain } from './domain-store.ts';

/** The name is free for others at once: claim and project change in one transaction. */
export const deleteDomain = handle('projects.DeleteDomain', async ({ project_id, domain_id }, caller) => {
  await existingProject(caller, project_id, 'domain_not_found');
  const { _id, name } = await existingDomain(caller.principal, project_id, domain_id);
  const { org_id } = caller.principal;
  const free = async (session: Session) => {
    await removeDomain({ org_id }, _id, session);
    const project = await existingProject(caller, project_id);
    if (!project.custom_domain_names.includes(name)) return;
    const custom_domain_names = project.custom_domain_names.filter((other) => other !== name);
    const events = [siteChanged(project_id, name)];
    await saveChange(ProjectModel, { org_id, session }, project, new Change({ custom_domain_names }, events));
  };
  await saveWithRetry(caller, () => inTransaction(ProjectModel, free, caller));
  return { deleted: true, id: _id };
});
