import { handle } from '@webkiln/rpc';
import { suspensionOf } from '@webkiln/standing';
import { assertInternal } from '../authorize.ts';
import { shownOverlay } from '../drafts/overlay-store.ts';
import { isServed } from '../files/file-tree.ts';
import { filesOf } from '../files/manifest-store.ts';
import { type ProjectRecord, projectById } from '../projects/project-store.ts';
import { findPreview } from './preview-store.ts';

const notFound = {
  found: false,
  org_id: '',
  project_id: '',
  suspended: false,
  organization_suspended: false,
  standing_version: 0,
  taken_down: false,
  expires_at: '',
  files: [],
};

/** Returns the current draft behind a preview token. For `sites`. */
export const resolvePreview = handle('sites.ResolvePreview', async ({ token }, caller) => {
  assertInternal(caller);
  const preview = await findPreview(token, new Date());
  const project = preview && (await projectById(preview, preview.project_id));
  if (preview === null || project === null) return notFound;
  const { _id, org_id, is_suspended } = project;
  const [files, { version, suspended }] = await Promise.all([shownFiles(project), suspensionOf(org_id)]);
  return {
    found: true,
    org_id,
    project_id: _id,
    suspended: is_suspended,
    organization_suspended: suspended,
    standing_version: version,
    taken_down: project.taken_down_at !== null,
    expires_at: preview.expires_at.toISOString(),
    files: files.filter(isServed).map((file) => ({ ...file, encodings: [] })),
  };
});

/** While a turn works on the draft, its files so far. */
const shownFiles = async (project: ProjectRecord) => filesOf(project, (await shownOverlay(project)) ?? project.draft_manifest_id);
