export { type ComposedSite, compose } from './compose.ts';
export { type EditedSite, edit, type NotUnderstood } from './edit/edit.ts';
export { type Site, siteOf, specificationPath } from './site.ts';
