import { etagOf } from '@webkiln/store';
import { type SiteAddresses, toProject } from '../projects/project.ts';
import type { ProjectRecord } from '../projects/project-store.ts';

/** What publish and rollback answer: the deploy, and the project with the address it is live at. */
export function published(record: ProjectRecord, deployId: string, siteAddresses: SiteAddresses) {
  const project = toProject(record, siteAddresses);
  return { url: project.published_url ?? '', deployId, status: 'ready', project, etag: etagOf(record) };
}
