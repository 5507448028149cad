import type { IncomingMessage, ServerResponse } from 'node:http';
import { logger, requestTarget } from '@webkiln/runtime';
import { isKnown } from '@webkiln/runtime/representations';
import { imageOf } from '../preview-images/preview-image-store.ts';
import { methodNotAllowed, noSuchPage, unavailable } from './plain-page.ts';
import { sendPage } from './send-page.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const imagePath = new RegExp(`^/(${uuid})/(${uuid})\\.png$`);

/** The picture of a deploy never changes, and may stand in anybody's dashboard. */
const metadata = [
  ...['Cache-Control', 'public, max-age=31536000, immutable', 'X-Content-Type-Options', 'nosniff'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin', 'Content-Security-Policy', "default-src 'none'"],
];

/** The label below the previews' domain that pictures of sites have. */
export const imagesLabel = 'images';

/** Answers `/<project>/<deploy>.png`. */
export function showPreviewImage(request: IncomingMessage, response: ServerResponse): void {
  show(request, response).catch((error) => {
    logger.warn({ err: error }, 'a picture could not be shown');
    sendPage(response, unavailable);
  });
}

async function show(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendPage(response, methodNotAllowed);
  const [, projectId = '', deployId = ''] = imagePath.exec(requestTarget(request.url ?? '')?.path ?? '') ?? [];
  const etag = `"${deployId}"`;
  const image = projectId === '' ? null : await imageOf(projectId, deployId);
  if (image === null) return sendPage(response, noSuchPage);
  if (isKnown(request.headers, etag)) return void response.writeHead(304, ['ETag', etag, ...metadata]).end();
  const ofBytes = ['Content-Type', 'image/png', 'Content-Length', String(image.byteLength)];
  response.writeHead(200, ['ETag', etag, ...metadata, ...ofBytes]).end(image);
}
