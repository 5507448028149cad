export { type ComposedSite, compose } from './compose.ts';
export { type EditedSite, edit, type NotUnderstood, sentenceFor } from './edit/edit.ts';
export { editTypedText, type TypedText } from './edit/edit-typed-text.ts';
export { type Site, siteOf, specificationPath } from './site.ts';
