import { consume } from '@webkiln/events';
import { dropProject } from '../deleted-projects/drop-project.ts';

/** Deletes what is kept of a deleted project. */
export const onProjectDeleted = () =>
  consume({
    name: 'sites-on-project-deleted',
    types: ['internal.project.deleted'],
    atOnce: 2,
    effect: ({ org_id, data: { project_id } }) => dropProject({ org_id }, project_id),
  });
