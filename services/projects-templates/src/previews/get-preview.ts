import { handle } from '@webkiln/rpc';
import { builderUrl, type PublicAddresses } from '../projects/project.ts';
import { shownProject } from '../projects/project-store.ts';
import { keepPreview } from './preview-store.ts';
import { previewToken } from './preview-token.ts';

/** Where a project can be seen and worked on. Asking again renews the preview. */
export const getPreview = ({ origin, siteAddresses }: PublicAddresses, secret: string) =>
  handle('projects.GetPreview', async ({ project_id }, caller) => {
    const { subdomain } = await shownProject(caller, project_id);
    const { org_id } = caller.principal;
    const preview = previewToken(secret, { org_id, project_id }, new Date());
    await keepPreview(caller.principal, project_id, preview);
    // Absent in records from before there was publishing.
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
