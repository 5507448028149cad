import { etagOf } from '@webkiln/store';
import { type SiteUrl, toProject } from '../projects/project.ts';
import type { ProjectRecord } from '../projects/project-store.ts';

/** What publish and rollback answer: the deploy, and the project with the address it is live at. */
export function published(record: ProjectRecord, deployId: string, siteUrl: SiteUrl) {
  const project = toProject(record, siteUrl);
  return { url: project.published_url ?? '', deployId, status: 'ready', project, etag: etagOf(record) };
}
