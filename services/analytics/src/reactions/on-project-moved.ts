import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { moveSite } from '../rollups/site-day-store.ts';

const timeoutMs = 5_000;

/** Gives a project's statistics to the user who owns it now. */
export const onProjectMoved = () =>
  consume({
    ...consumerOf('analytics-on-project-moved'),
    concurrency: 2,
    atLeastOnceHandler: async ({ org_id, data: { project_id } }) => {
      try {
        const { project } = await call('projects.GetProject', { project_id }, serviceCaller('analytics', org_id, timeoutMs));
        if (project !== null) await moveSite({ org_id }, project_id, project.user_id);
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'project_not_found')) throw error;
      }
    },
  });
