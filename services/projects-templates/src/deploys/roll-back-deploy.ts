import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertMatches, saveChange, saveWithRetry } from '@webkiln/store';
import type { SiteAddresses } from '../projects/project.ts';
import { ProjectModel, projectById } from '../projects/project-store.ts';
import { rollBack } from './deploy.ts';
import { published } from './published.ts';

/** A deploy that is kept refers to its files: there is nothing to do but to switch. */
export const rollBackDeploy = (siteAddresses: SiteAddresses) =>
  handle('projects.RollBackDeploy', ({ project_id, deploy_id }, caller) =>
    saveWithRetry(caller, async () => {
      const current = await projectById(caller, project_id);
      if (current === null) throw new AppError('deploy_not_found');
      assertMatches(caller, current);
      const change = rollBack(current, deploy_id, new Date().toISOString());
      const project = change === null ? current : await saveChange(ProjectModel, caller, current, change);
      return published(project, deploy_id, siteAddresses);
    }),
  );
