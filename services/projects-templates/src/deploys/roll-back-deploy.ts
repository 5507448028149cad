import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertMatches, saveChange, saveWithRetry } from '@webkiln/store';
import { ProjectModel, projectById } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { rollBack } from './deploy.ts';
import { publishReply } from './publish-reply.ts';

/** A kept deploy still references its files, so a rollback is a single write. */
export const rollBackDeploy = (siteAddresses: SiteAddresses) =>
  handle('projects.RollBackDeploy', ({ project_id, deploy_id }, caller) =>
    saveWithRetry(caller, async () => {
      const current = await projectById(caller, project_id);
      if (current === null) throw new AppError('deploy_not_found');
      assertMatches(caller, current);
      const change = rollBack(current, deploy_id, new Date().toISOString());
      const project = change === null ? current : await saveChange(ProjectModel, caller, current, change);
      return publishReply(project, deploy_id, siteAddresses);
    }),
  );
