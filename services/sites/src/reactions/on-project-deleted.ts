import { consume } from '@webkiln/events';
import { dropProject } from '../deleted-projects/drop-project.ts';

/** Deletes everything stored for a deleted project. */
export const onProjectDeleted = () =>
  consume({
    name: 'sites-on-project-deleted',
    types: ['internal.project.deleted'],
    concurrency: 2,
    transactionalHandler: ({ org_id, data: { project_id } }) => dropProject({ org_id }, project_id),
  });
