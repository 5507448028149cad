import { consume } from '@webkiln/events';
import { dropSettings } from '../forms/form-settings-store.ts';
import { dropSubmissions } from '../forms/submission-store.ts';
import { dropImages } from '../preview-images/preview-image-store.ts';

/** Deletes what came in by a deleted project's forms, and its pictures. The writes are safe to repeat, and too many for one transaction. */
export const onProjectDeleted = () =>
  consume({
    name: 'sites-on-project-deleted',
    types: ['internal.project.deleted'],
    atOnce: 2,
    effect: async ({ org_id, data: { project_id } }) => {
      await dropSubmissions({ org_id }, project_id);
      await dropSettings({ org_id }, project_id);
      await dropImages({ org_id }, project_id);
    },
  });
