import { sessionDigest } from '@webkiln/contract';
import type { Request, Response } from 'express';
import { helmetHeaders } from './answer.ts';
import { type DashboardFile, readDashboard } from './dashboard-files.ts';
import { readEarlyFiles } from './early-files.ts';

interface Options {
  /** Where the built files are. */
  readonly folder: string;
  /** The addresses above all published sites and all previews, which the pages show pictures and frames of. */
  readonly sitesOrigin: string;
  readonly previewOrigin: string;
}

/** The people's side of the platform: one page for every address that is no file, so that deep links work. */
export class Dashboard {
  readonly #files: ReadonlyMap<string, DashboardFile>;
  readonly #page: DashboardFile;
  readonly #early: ReturnType<typeof readEarlyFiles>;
  readonly #pageHeaders: readonly string[];
  readonly #assetHeaders: readonly string[];

  constructor({ folder, sitesOrigin, previewOrigin }: Options) {
    this.#files = readDashboard(folder);
    const page = this.#files.get('/index.html');
    if (page === undefined) throw new Error(`${folder} holds no index.html: build the dashboard into it`);
    this.#page = page;
    this.#early = readEarlyFiles(folder);
    const below = [anyBelow(sitesOrigin), anyBelow(previewOrigin)];
    const policy = {
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', ...below],
      'connect-src': ["'self'"],
      'font-src': ["'self'"],
      'frame-src': below,
      'form-action': ["'self'"],
    };
    this.#pageHeaders = [...helmetHeaders(policy, 'same-origin'), 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding, Cookie'];
    this.#assetHeaders = [
      ...helmetHeaders({}, 'same-origin'),
      ...['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding'],
    ];
  }

  /** Answers a request for a file or a page; false when it is for neither. */
  answer(request: Request, response: Response): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const { path } = request;
    if (path.startsWith('/assets/')) return this.#send(request, response, this.#files.get(path), this.#assetHeaders);
    if (path.startsWith('/api/') || !request.headers.accept?.includes('text/html')) return false;
    if (sessionDigest(request.headers.cookie) === undefined) return this.#send(request, response, this.#page, this.#pageHeaders);
    const early = path === '/' ? this.#early.home : this.#early.elsewhere;
    return this.#send(request, response, this.#page, [...this.#pageHeaders, 'Link', early]);
  }

  #send(request: Request, response: Response, file: DashboardFile | undefined, fixed: readonly string[]): boolean {
    const form = file?.forms.find(({ encoding }) => encoding === 'identity' || request.acceptsEncodings(encoding));
    if (file === undefined || form === undefined) return false;
    const headers = [...fixed, 'ETag', file.etag];
    if (request.headers['if-none-match']?.includes(file.etag)) {
      response.writeHead(304, headers).end();
      return true;
    }
    if (form.encoding !== 'identity') headers.push('Content-Encoding', form.encoding);
    response.writeHead(200, [...headers, 'Content-Type', file.type, 'Content-Length', String(form.body.byteLength)]);
    response.end(request.method === 'HEAD' ? undefined : form.body);
    return true;
  }
}

/** As a Content-Security-Policy names every host below an address. */
function anyBelow(origin: string): string {
  const { protocol, host } = new URL(origin);
  return `${protocol}//*.${host}`;
}
