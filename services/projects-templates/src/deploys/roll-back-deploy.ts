import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertMatches, saveChange, saveWithRetry } from '@webkiln/store';
import { projectAudited } from '../projects/project.ts';
import { ProjectModel, projectById } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { assertNotTakenDown } from '../take-down/take-down.ts';
import { rollBack } from './deploy.ts';
import { publishReply } from './publish-reply.ts';

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
