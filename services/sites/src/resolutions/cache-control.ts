/** By content type, the Cache-Control of a file. */
export type CacheControl = (contentType: string) => string;

const looks = /^(image|font|audio|video)\//;

/**
 * How long browsers may use a file without asking. Pages, styles, scripts and data are asked for each time, which an ETag makes cheap: names carry no
 * version, and a page of this deploy with the style of the last one looks broken to the very person who has just published it.
 * Pictures, fonts and films break nothing when they are a little old, and are most of what a page loads.
 */
export const cacheControl: CacheControl = (contentType) =>
  looks.test(contentType) && !contentType.startsWith('image/svg') ? 'public, max-age=300' : 'public, max-age=0, must-revalidate';

/**
 * Of a draft: kept by nobody but the visitor's own browser, which asks each time. That shows every change at once, and loads a page of large
 * pictures again only where they changed.
 */
export const revalidated: CacheControl = () => 'private, no-cache';
