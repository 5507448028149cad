import { consume, consumerOf } from '@webkiln/events';
import { type PreviewImageDependencies, refreshPreviewImage } from '../preview-images/refresh-preview-image.ts';

/**
 * Takes a preview image of each published site, one at a time, so that a burst of publishes does not need more memory.
 */
export const onSiteChanged = (dependencies: PreviewImageDependencies) =>
  consume({
    ...consumerOf('sites-on-site-changed'),
    concurrency: 1,
    transactionalHandler: ({ data: { project_id, name } }) => refreshPreviewImage(project_id, name, dependencies),
  });
