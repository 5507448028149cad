import type { SiteUrl } from '../projects/project.ts';

/** The addresses of sites: a name is the first label below the host of `sitesOrigin`. */
export function siteUrlsAt(sitesOrigin: string): SiteUrl {
  const { protocol, host } = new URL(sitesOrigin);
  return (name) => `${protocol}//${name}.${host}`;
}
