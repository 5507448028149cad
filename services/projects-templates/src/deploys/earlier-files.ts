import type { File } from '@webkiln/contract';
import { isHashedName } from '@webkiln/site-rules';
import type { Tenant } from '@webkiln/store';
import { LRUCache } from 'lru-cache';
import type { Encoding } from '../files/encode.ts';
import { isServed } from '../files/file-tree.ts';
import { readSiteFiles } from '../files/site-files.ts';
import type { ProjectState } from '../projects/project-state.ts';

type SiteFile = File & { encodings: Encoding[] };

/** How long a page that was opened before a deploy finds the parts that it loads later. */
const keptMs = 24 * 60 * 60 * 1000;
const maxFiles = 2_000;
/** Files of all manifests together, at a few hundred bytes each. Manifests never change. */
const cached = new LRUCache<string, SiteFile[]>({ maxSize: 50_000, sizeCalculation: ({ length }) => 1 + length });

/** The files under names with a hash of the deploys that were live in the last 24 hours, newest first. */
export async function earlierFiles(
  { org_id, deploys, live_deploy_id }: Pick<ProjectState, 'org_id' | 'deploys' | 'live_deploy_id'>,
  now: number,
): Promise<SiteFile[]> {
  const files = new Map<string, SiteFile>();
  for (const { id, manifest_id, replaced_at } of deploys) {
    if (id === live_deploy_id || replaced_at === undefined || Date.parse(replaced_at) + keptMs < now) continue;
    for (const file of await hashedFiles({ org_id }, manifest_id)) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()].slice(0, maxFiles);
}

async function hashedFiles(tenant: Tenant, manifestId: string): Promise<SiteFile[]> {
  const key = `${tenant.org_id} ${manifestId}`;
  const known = cached.get(key);
  if (known !== undefined) return known;
  const files = (await readSiteFiles(tenant, manifestId)).filter((file) => isServed(file) && isHashedName(file.path));
  cached.set(key, files);
  return files;
}
