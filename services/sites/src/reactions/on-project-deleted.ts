import { consume, consumerOf } from '@webkiln/events';
import { dropProject } from '../deleted-projects/deleted-project-store.ts';

/** Deletes everything stored for a deleted project. */
export const onProjectDeleted = () =>
  consume({
    ...consumerOf('sites-on-project-deleted'),
    concurrency: 2,
    transactionalHandler: ({ org_id, data: { project_id } }) => dropProject({ org_id }, project_id),
  });
