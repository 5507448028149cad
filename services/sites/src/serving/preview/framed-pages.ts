import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isKnown } from '@webkiln/http';
import type { Part } from '../../contents/contents.ts';
import type { PublishedFile } from '../../resolutions/site.ts';

const scriptPath = '/_webkiln/preview.js';
const script = readFileSync(new URL('./preview.js', import.meta.url));
const scriptEtag = `"${hash('sha256', script).slice(0, 32)}"`;
const scriptHeaders = ['ETag', scriptEtag, 'Cache-Control', 'private, no-cache', 'X-Content-Type-Options', 'nosniff'];

/**
 * Adds the builder's script to the pages of previews that are shown in a frame. It stands after the page's own markup,
 * where HTML parsers put it into the body, so the page is not parsed here. Drafts, files and previews in a tab of their
 * own keep their bytes.
 */
export class FramedPages {
  readonly #tag: Buffer;
  readonly #etagSuffix: string;

  /** `builder` is the origin whose pages the script talks to. */
  constructor(builder: string) {
    this.#tag = Buffer.from(`<script src="${scriptPath}" data-builder="${builder}"></script>`);
    this.#etagSuffix = `-${hash('sha256', this.#tag).slice(0, 8)}"`;
  }

  /** Sends the script and returns true if the request is for it. */
  sendScript({ url, headers }: IncomingMessage, response: ServerResponse): boolean {
    if (url !== scriptPath) return false;
    if (isKnown(headers, scriptEtag)) response.writeHead(304, scriptHeaders).end();
    else {
      const type = ['Content-Type', 'text/javascript; charset=utf-8', 'Content-Length', String(script.byteLength)];
      response.writeHead(200, [...scriptHeaders, ...type]).end(script);
    }
    return true;
  }

  /** True if a file is a page and the request loads it into a frame. Browsers alone say so; no script can. */
  applies({ method, headers }: IncomingMessage, file: PublishedFile): boolean {
    return method === 'GET' && headers['sec-fetch-dest'] === 'iframe' && file.isPage;
  }

  /** Sends a whole page with the script. */
  send(request: IncomingMessage, response: ServerResponse, file: PublishedFile, { content }: Part, status: 200 | 404): void {
    const { etag, headers } = file.representation('');
    const own = `${etag.slice(0, -1)}${this.#etagSuffix}`;
    const metadata = ['ETag', own, 'Vary', 'Sec-Fetch-Dest', ...withoutEtag(headers)];
    if (status === 200 && isKnown(request.headers, own)) return void response.writeHead(304, metadata).end();
    const length = String(content.byteLength + this.#tag.byteLength);
    response.writeHead(status, [...metadata, 'Content-Type', file.contentType, 'Content-Length', length]);
    response.write(content);
    response.end(this.#tag);
  }
}

/** Names and values, alternating. */
const withoutEtag = (headers: readonly string[]) => headers.filter((_, at) => headers[at - (at % 2)] !== 'ETag');
