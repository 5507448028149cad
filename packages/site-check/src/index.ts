export { checkSite } from './check-site.ts';
export type { Finding } from './finding.ts';
export { type SiteFiles, textOf } from './site-files.ts';
