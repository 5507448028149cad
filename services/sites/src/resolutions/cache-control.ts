/** Returns the Cache-Control header of a file by its content type. */
export type CacheControl = (contentType: string) => string;

const mediaType = /^(image|font|audio|video)\//;

/**
 * For published sites. Pages, styles, scripts and data are revalidated on every use, which ETags make cheap. Their
 * names carry no version, so a new page with the cached style of the last deploy would look broken. Images, fonts and
 * films may be a little old without breaking anything, and are most of what a page loads.
 */
export const cacheControl: CacheControl = (contentType) =>
  mediaType.test(contentType) && !contentType.startsWith('image/svg') ? 'public, max-age=300' : 'public, max-age=0, must-revalidate';

/**
 * For drafts. Only the visitor's own browser may cache them, and revalidates on every use: each change shows at once,
 * and large unchanged images are not downloaded again.
 */
export const revalidated: CacheControl = () => 'private, no-cache';
