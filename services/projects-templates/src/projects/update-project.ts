import { AppError, lacksAgencyTools } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { auditedIfByAgent, changeProject, type ProjectFields, type SiteAddresses, toProject } from './project.ts';
import { existingProject, ProjectModel } from './project-store.ts';

export const updateProject = (siteAddresses: SiteAddresses) =>
  handle('projects.UpdateProject', (request, caller) => {
    const attempt = async () => {
      const current = await existingProject(caller, request.project_id);
      assertMatches(caller, current);
      const change = changeProject(current, maskedFields<ProjectFields>(request), new Date().toISOString());
      const isForAgencies = change?.state.status !== undefined || change?.state.insert_tracker !== undefined;
      if (isForAgencies && lacksAgencyTools(caller.principal)) throw new AppError('agency_tools_off');
      const events = auditedIfByAgent(caller, 'project.changed', { ...current, ...change?.state });
      const project = change === null ? current : await saveChange(ProjectModel, caller, current, change.withEvents(events));
      return { project: toProject(project, siteAddresses), etag: etagOf(project) };
    };
    return saveWithRetry(caller, attempt, request.project_id);
  });
