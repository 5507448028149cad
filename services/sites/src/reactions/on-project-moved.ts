import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { projectFor } from '../forms/project-for.ts';
import { moveSettings } from '../forms/settings/form-settings-store.ts';
import { moveSubmissions } from '../forms/submissions/submission-store.ts';

const timeoutMs = 5_000;

/** Gives a project's submissions and form settings to the user who owns it now. */
export const onProjectMoved = () =>
  consume({
    ...consumerOf('sites-on-project-moved'),
    concurrency: 2,
    atLeastOnceHandler: async ({ org_id, data: { project_id } }) => {
      try {
        const { user_id } = await projectFor(serviceCaller('sites', org_id, timeoutMs), project_id);
        await Promise.all([moveSettings({ org_id }, project_id, user_id), moveSubmissions({ org_id }, project_id, user_id)]);
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'project_not_found')) throw error;
      }
    },
  });
