import { handle } from '@webkiln/rpc';
import { projectForDisplay } from '../projects/project-store.ts';
import { builderUrl, type PublicAddresses } from '../projects/site-addresses.ts';
import { savePreview } from './preview-store.ts';
import { createPreviewToken } from './preview-token.ts';

/** Returns the addresses to view and edit a project. Another call renews the preview. */
export const getPreview = ({ origin, siteAddresses }: PublicAddresses, secret: string) =>
  handle('projects.GetPreview', async ({ project_id }, caller) => {
    const { subdomain } = await projectForDisplay(caller, project_id);
    const { org_id } = caller.principal;
    const preview = createPreviewToken(secret, { org_id, project_id }, new Date());
    await savePreview(caller.principal, project_id, preview);
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
