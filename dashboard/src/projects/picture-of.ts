import type { Project } from '../api/records.ts';

/** The address of the small preview picture of a site, if it has one. */
export const pictureOf = ({ preview_image_url }: Pick<Project, 'preview_image_url'>): string | undefined =>
  preview_image_url?.replace(/png$/, 'webp');
