import { etagOf } from '@webkiln/store';
import { toProject } from '../projects/project.ts';
import type { ProjectRecord } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';

/** The reply to publish and rollback: the deploy, and the project with its public address. */
export function publishReply(record: ProjectRecord, deployId: string, siteAddresses: SiteAddresses) {
  const project = toProject(record, siteAddresses);
  return { url: project.published_url ?? '', deployId, status: 'ready', project, etag: etagOf(record) };
}
