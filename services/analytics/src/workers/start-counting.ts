import { listen } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { SiteOwners } from './site-owners.ts';
import { Workers } from './workers.ts';

/** Counts views in this process; the store must be connected, and NATS or a peer need not be there yet. */
export function startCounting(stream: ViewsStream, partitions: number): Workers {
  const owners = new SiteOwners();
  listen('internal.site.changed', ({ data }) => owners.forget(data.name));
  onProjectDeleted();
  const workers = new Workers(theBus(), stream, { partitions, owners });
  workers.start();
  return workers;
}
