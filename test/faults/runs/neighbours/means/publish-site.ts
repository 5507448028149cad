import { makeProject } from '../../../../contract/fixtures.ts';
import type { Api } from '../../../../harness/api.ts';
import type { Scene } from '../nuisance.ts';
import { hostileAgency } from './hostile-agency.ts';

/** Publishes a site of one page. */
export async function publishSite(api: Api, page: string): Promise<{ url: string; projectId: string }> {
  const { id } = await makeProject(api);
  const published = await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': page } });
  return { url: published.expect(200).body.url, projectId: id };
}

/** Publishes a site of one page, of an organization of its own; returns its address. */
export async function hostileSite(scene: Scene): Promise<string> {
  const { api } = await hostileAgency(scene);
  return (await publishSite(api, 'a form')).url;
}
