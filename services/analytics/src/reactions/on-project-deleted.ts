import { consume } from '@webkiln/events';
import { markStale } from '../rollups/org-day-store.ts';
import { dropSite } from '../rollups/site-day-store.ts';

/** Deletes a project's figures, and has its organization's days that they were in made anew. */
export const onProjectDeleted = () =>
  consume({
    name: 'analytics-on-project-deleted',
    types: ['internal.project.deleted'],
    atOnce: 2,
    effect: async ({ org_id, data: { project_id } }, session) => {
      await markStale({ org_id, session }, await dropSite({ org_id, session }, project_id));
    },
  });
