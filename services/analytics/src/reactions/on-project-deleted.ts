import { consume, consumerOf } from '@webkiln/events';
import { markStale } from '../rollups/org-day-store.ts';
import { deleteSite } from '../rollups/site-day-store.ts';

/** Deletes a project's statistics and marks the organization's days that contained them as stale. */
export const onProjectDeleted = () =>
  consume({
    ...consumerOf('analytics-on-project-deleted'),
    concurrency: 2,
    transactionalHandler: async ({ org_id, data: { project_id } }, session) => {
      await markStale({ org_id, session }, await deleteSite({ org_id, session }, project_id));
    },
  });
