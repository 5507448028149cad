import type { SiteAddresses } from '../projects/project.ts';

/** A site's name is the first label below the host of `sitesOrigin`; pictures of sites have the label "images" below that of `previewOrigin`. */
export function siteAddressesAt(sitesOrigin: string, previewOrigin: string): SiteAddresses {
  const [sites, previews] = [new URL(sitesOrigin), new URL(previewOrigin)];
  const images = `${previews.protocol}//images.${previews.host}`;
  return {
    site: (name) => `${sites.protocol}//${name}.${sites.host}`,
    previewImage: (projectId, deployId) => `${images}/${projectId}/${deployId}.png`,
  };
}
