/** The public addresses of sites and previews. */
export interface SiteAddresses {
  site(name: string): string;
  preview(token: string): string;
  /** The image of the first page of a deploy. */
  previewImage(projectId: string, deployId: string): string;
}

export interface PublicAddresses {
  /** The address of the platform itself. */
  readonly origin: string;
  readonly siteAddresses: SiteAddresses;
}

export const builderUrl = (origin: string, projectId: string): string => `${origin}/builder/${projectId}`;

/**
 * A site's name is the first label below the host of `sitesOrigin`. A preview's token is the first label below the host
 * of `previewOrigin`, and preview images are below its label "images".
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
