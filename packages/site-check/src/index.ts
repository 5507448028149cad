export { checkReferences } from './check-references.ts';
export { addedForeignCode, checkChange, checkSite } from './check-site.ts';
export type { Finding } from './finding.ts';
export { textAt, withText } from './page-text.ts';
export type { SiteFiles } from './site-files.ts';
