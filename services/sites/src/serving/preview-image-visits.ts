import type { IncomingMessage, ServerResponse } from 'node:http';
import { isKnown, requestTarget } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import { imageOf } from '../preview-images/preview-image-store.ts';
import { methodNotAllowed, pageNotFound, sendPage, unavailable } from './plain-page.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const imagePath = new RegExp(`^/(${uuid})/(${uuid})\\.(png|webp)$`);

/** The image of a deploy never changes, and dashboards on any origin may embed it. */
const commonHeaders = [
  ...['Cache-Control', 'public, max-age=31536000, immutable', 'X-Content-Type-Options', 'nosniff'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin', 'Content-Security-Policy', "default-src 'none'"],
];

/** The label of the preview domain under which preview images are served. */
export const imagesLabel = 'images';

/** Serves `/<project>/<deploy>.png`, and the small image with `.webp`: as PNG where a deploy is older than it. */
export function servePreviewImage(request: IncomingMessage, response: ServerResponse): void {
  respond(request, response).catch((error) => {
    logger.warn({ err: error }, 'preview image unavailable; responding 503');
    sendPage(response, unavailable);
  });
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendPage(response, methodNotAllowed);
  const [, projectId = '', deployId = '', format = ''] = imagePath.exec(requestTarget(request.url ?? '')?.path ?? '') ?? [];
  const etag = `"${deployId}.${format}"`;
  const image = projectId === '' ? null : await imageOf(projectId, deployId, format === 'webp');
  if (image === null) return sendPage(response, pageNotFound);
  if (isKnown(request.headers, etag)) return void response.writeHead(304, ['ETag', etag, ...commonHeaders]).end();
  const contentHeaders = ['Content-Type', image.type, 'Content-Length', String(image.content.byteLength)];
  response.writeHead(200, ['ETag', etag, ...commonHeaders, ...contentHeaders]).end(image.content);
}
