import { consume, consumerOf } from '@webkiln/events';
import { type PreviewImageDependencies, refreshPreviewImage } from '../preview-images/refresh-preview-image.ts';

/**
 * Takes a preview image of each published site, one at a time, so that a burst of publishes does not need more memory.
 * Without a browser it takes none, and the events end all the same: a stream is purged of what all consumers had.
 */
export const onSiteChanged = (dependencies: PreviewImageDependencies | undefined) =>
  consume({
    ...consumerOf('sites-on-site-changed'),
    concurrency: 1,
    // A custom domain shows what the subdomain does, whose event comes with it or came before.
    concerns: ({ data }) => dependencies !== undefined && !data.name.includes('.'),
    transactionalHandler: async ({ data: { project_id, name } }) => {
      if (dependencies !== undefined) await refreshPreviewImage(project_id, name, dependencies);
    },
  });
