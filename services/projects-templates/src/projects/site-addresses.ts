import type { SiteAddresses } from '../projects/project.ts';

/**
 * A site's name is the first label below the host of `sitesOrigin`, a preview's token below that of `previewOrigin`; pictures of sites have the label
 * "images" there.
 */
export function siteAddressesAt(sitesOrigin: string, previewOrigin: string): SiteAddresses {
  const [sites, previews] = [new URL(sitesOrigin), new URL(previewOrigin)];
  const images = `${previews.protocol}//images.${previews.host}`;
  return {
    site: (name) => `${sites.protocol}//${name}.${sites.host}`,
    preview: (token) => `${previews.protocol}//${token}.${previews.host}`,
    previewImage: (projectId, deployId) => `${images}/${projectId}/${deployId}.png`,
  };
}
