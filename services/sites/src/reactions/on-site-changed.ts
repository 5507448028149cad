import { consume } from '@webkiln/events';
import { refreshPreviewImage, type Studio } from '../preview-images/refresh-preview-image.ts';

/** Photographs what went live: one page at a time, so that a burst of publishes takes longer and no more memory. */
export const onSiteChanged = (studio: Studio) =>
  consume({
    name: 'sites-on-site-changed',
    types: ['internal.site.changed'],
    atOnce: 1,
    effect: ({ data: { project_id, name } }) => refreshPreviewImage(project_id, name, studio),
  });
