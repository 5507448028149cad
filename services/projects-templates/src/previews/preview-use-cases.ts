import { suspensionOf } from '@webkiln/org-policy';
import { handle, type UseCase } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { siteRules } from '../deploys/site-rules.ts';
import { shownOverlay } from '../drafts/overlay-store.ts';
import { isServed } from '../files/file-tree.ts';
import { filesOf } from '../files/manifest-store.ts';
import { existingVersion, versionsOf } from '../history/version.ts';
import { builderUrl, type PublicAddresses } from '../projects/project.ts';
import { existingProject, type ProjectRecord, projectById } from '../projects/project-store.ts';
import { projectForDisplay } from '../projects/read-projects.ts';
import { findPreview, savePreview } from './preview-store.ts';
import { createPreviewToken } from './preview-token.ts';

export const previewUseCases = (addresses: PublicAddresses, secret: string): UseCase[] => [getPreview(addresses, secret), resolvePreview];

/** Returns the addresses to view and edit a project. Another call renews the preview. */
const getPreview = ({ origin, siteAddresses }: PublicAddresses, secret: string) =>
  handle('projects.GetPreview', async ({ project_id, version }, caller) => {
    const { subdomain } = await projectForDisplay(caller, project_id);
    if (version !== undefined) existingVersion(await existingProject(caller, project_id), version);
    const { org_id } = caller.principal;
    const preview = createPreviewToken(secret, { org_id, project_id, version_id: version }, new Date());
    await savePreview(caller.principal, { project_id, version_id: version ?? null }, preview);
    // Undefined in documents that are older than publishing.
    const published_url = subdomain ? siteAddresses.site(subdomain) : null;
    return {
      published_url,
      has_published: published_url !== null,
      preview_url: siteAddresses.preview(preview.token),
      builder_url: builderUrl(origin, project_id),
      embed_preview_path: `/builder/${project_id}/preview`,
      expires_at: preview.expiresAt.toISOString(),
    };
  });

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
  redirects: [],
};

/** Returns the draft, or the version, behind a preview token. For `sites`. */
const resolvePreview = handle('sites.ResolvePreview', async ({ token }, caller) => {
  assertInternal(caller);
  const preview = await findPreview(token, new Date());
  const project = preview && (await projectById(preview, preview.project_id));
  if (preview === null || project === null) return notFound;
  const { _id, org_id, is_suspended } = project;
  const shown = await manifestOf(project, preview.version_id ?? null);
  if (shown === undefined) return notFound;
  const [files, { version, suspended }] = await Promise.all([filesOf(project, shown), suspensionOf(org_id)]);
  // Headers are left out: they could forbid the frame that the preview is shown in.
  const { redirects } = (await siteRules({ org_id }, files)).rules;
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
    redirects,
  };
});

/**
 * The manifest that a preview shows; undefined for a version that is not kept any more. Of the draft it shows, while a
 * turn works on it, the files so far.
 */
async function manifestOf(project: ProjectRecord, version_id: string | null): Promise<string | null | undefined> {
  if (version_id !== null) return versionsOf(project).find(({ id }) => id === version_id)?.manifest_id;
  return (await shownOverlay(project)) ?? project.draft_manifest_id;
}
