import { AppError, type File } from '@webkiln/contract';
import { suspensionOf } from '@webkiln/org-policy';
import { handle } from '@webkiln/rpc';
import { isHashedName } from '@webkiln/site-rules';
import type { Tenant } from '@webkiln/store';
import { LRUCache } from 'lru-cache';
import { assertInternal } from '../authorize.ts';
import { encodedName, wholeChunkBytes } from '../files/chunk-ids.ts';
import { type Encoding, encodings } from '../files/encode.ts';
import { isServed } from '../files/file-tree.ts';
import { readBySha256, readPart } from '../files/read-contents.ts';
import { readSiteFiles } from '../files/site-files.ts';
import { projectThatLeft } from '../projects/label-store.ts';
import { isOfJoined, type SiteAddresses } from '../projects/project.ts';
import type { ProjectState } from '../projects/project-state.ts';
import { projectBySiteName } from '../projects/project-store.ts';
import { siteRules } from './site-rules.ts';

type SiteFile = File & { encodings: Encoding[] };

/** How long a page that was opened before a deploy finds the parts that it loads later. */
const keptMs = 24 * 60 * 60 * 1000;
const maxFiles = 2_000;
/** Files of all manifests together, at a few hundred bytes each. Manifests never change. */
const cached = new LRUCache<string, SiteFile[]>({ maxSize: 50_000, sizeCalculation: ({ length }) => 1 + length });

/** The files under names with a hash of the deploys that were live in the last 24 hours, newest first. */
async function earlierFiles(
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

const notFound = {
  found: false,
  org_id: '',
  project_id: '',
  deploy_id: '',
  suspended: false,
  organization_suspended: false,
  standing_version: 0,
  taken_down: false,
  files: [],
  moved_to: '',
  clears_storage_until: '',
  joined_by_link: false,
  redirects: [],
  headers: [],
  earlier_files: [],
};

/** Returns the live deploy under a name, or where the site has moved that was there. For `sites`. */
export const resolveSite = (addresses: SiteAddresses) =>
  handle('sites.ResolveSite', async ({ name }, caller) => {
    assertInternal(caller);
    const live = await projectBySiteName(name);
    const project = live ?? (await projectThatLeft(name));
    const deploy = project?.deploys.find(({ id }) => id === project.live_deploy_id);
    if (project === null || project.subdomain === null || deploy === undefined) return notFound;
    const { _id, org_id, is_suspended, subdomain, clears_storage_until } = project;
    const readFiles = live === null ? [] : readSiteFiles({ org_id }, deploy.manifest_id);
    const readEarlier = live === null ? [] : earlierFiles(live, Date.now());
    const [files, earlier, { version, suspended }] = await Promise.all([readFiles, readEarlier, suspensionOf(org_id)]);
    const { rules } = await siteRules({ org_id }, files);
    const paths = new Set(files.map(({ path }) => path));
    return {
      found: live !== null,
      org_id,
      project_id: _id,
      deploy_id: deploy.id,
      suspended: is_suspended,
      organization_suspended: suspended,
      standing_version: version,
      taken_down: project.taken_down_at !== null,
      files: files.filter(isServed),
      moved_to: live === null ? addresses.site(subdomain) : '',
      clears_storage_until: (name === subdomain && clears_storage_until) || '',
      joined_by_link: isOfJoined(project),
      ...rules,
      earlier_files: earlier.filter(({ path }) => !paths.has(path)),
    };
  });

/** Returns the owner of the site under a name. For services that receive its visits. */
export const identifySite = handle('sites.IdentifySite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectBySiteName(name);
  if (project === null) return { found: false, org_id: '', project_id: '', user_id: '', paused: false };
  const { org_id, _id, user_id, is_suspended, taken_down_at } = project;
  const paused = is_suspended || taken_down_at !== null || (await suspensionOf(org_id)).suspended;
  return { found: true, org_id, project_id: _id, user_id, paused };
});

/** Returns one file's content or a part of it, plain or precompressed. For `sites`. */
export const getSiteContent = handle('sites.GetSiteContent', async ({ org_id, sha256, encoding, offset, length }, caller) => {
  assertInternal(caller);
  const tenant = { org_id };
  if (encoding === '') {
    const content = length === 0 ? await readBySha256(tenant, sha256) : (await readPart(tenant, sha256, offset, length)).content;
    return { content, size: 0 };
  }
  const prepared = encodings.find((known) => known === encoding);
  if (prepared === undefined) throw new AppError('file_not_found');
  const { content, chunkBytes } = await readPart(tenant, encodedName(sha256, prepared), offset, length || wholeChunkBytes);
  return { content, size: chunkBytes };
});
