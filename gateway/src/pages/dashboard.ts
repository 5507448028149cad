import { sessionDigest } from '@webkiln/contract';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { securityHeaders } from '../security-headers.ts';
import { type DashboardFile, readDashboard, readPreloadLinks } from './dashboard-files.ts';

/** Pages of other origins load it, also under Cross-Origin-Embedder-Policy or with `crossorigin`. */
const embedScript = '/embed.js';
const embedScriptHeaders: readonly string[] = [
  ...securityHeaders(),
  ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'public, max-age=3600', 'Vary', 'Accept-Encoding'],
];

const pageCaching = ['Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding, Cookie'];

interface Options {
  /** Folder of the built files. */
  readonly folder: string;
  /** Parent origins of published sites and previews; pages embed images and frames from them. */
  readonly sitesOrigin: string;
  readonly previewOrigin: string;
}

/**
 * Serves the dashboard: built files, and the one page of the single-page application for every other path, so that
 * deep links work.
 */
export class Dashboard {
  readonly #files: ReadonlyMap<string, DashboardFile>;
  readonly #page: DashboardFile;
  readonly #preloadLinks: ReturnType<typeof readPreloadLinks>;
  readonly #pageHeaders: readonly string[];
  readonly #builderPage: DashboardFile;
  /** The headers of the builder, for each list of origins that may show it in a frame. */
  readonly #builderHeaders = new LRUCache<string, readonly string[]>({ max: 1000 });
  readonly #policy: Readonly<Record<string, readonly string[]>>;
  readonly #assetHeaders: readonly string[];

  constructor({ folder, sitesOrigin, previewOrigin }: Options) {
    this.#files = readDashboard(folder);
    const page = this.#files.get('/index.html');
    if (page === undefined) throw new Error(`${folder} holds no index.html: build the dashboard into it`);
    this.#page = page;
    this.#builderPage = this.#files.get('/builder.html') ?? page;
    this.#preloadLinks = readPreloadLinks(folder);
    const customerPages = [subdomainsOf(sitesOrigin), subdomainsOf(previewOrigin)];
    this.#policy = {
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', ...customerPages],
      'connect-src': ["'self'"],
      'font-src': ["'self'"],
      'frame-src': customerPages,
      'form-action': ["'self'"],
    };
    this.#pageHeaders = [...securityHeaders(this.#policy, 'same-origin'), ...pageCaching];
    this.#assetHeaders = [
      ...securityHeaders({}, 'same-origin'),
      ...['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding'],
    ];
  }

  /** Returns false, and sends nothing, if the request is for neither a file nor a page. */
  handle(request: Request, response: Response): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const { path } = request;
    if (path === embedScript) return this.#send(request, response, this.#files.get(path), embedScriptHeaders);
    if (path.startsWith('/assets/')) return this.#send(request, response, this.#files.get(path), this.#assetHeaders);
    if (path.startsWith('/api/') || !request.headers.accept?.includes('text/html')) return false;
    if (sessionDigest(request.headers.cookie) === undefined) return this.#send(request, response, this.#page, this.#pageHeaders);
    const link = path === '/' ? this.#preloadLinks.home : this.#preloadLinks.other;
    return this.#send(request, response, this.#page, [...this.#pageHeaders, 'Link', link]);
  }

  /** Sends the builder, which the pages of these origins may show in a frame. */
  sendBuilder(request: Request, response: Response, origins: readonly string[]): void {
    const key = origins.join(' ');
    let headers = this.#builderHeaders.get(key);
    if (headers === undefined) {
      const ancestors = origins.length === 0 ? ["'none'"] : ["'self'", ...origins];
      headers = [...securityHeaders({ ...this.#policy, 'frame-ancestors': ancestors }, 'same-origin'), ...pageCaching];
      this.#builderHeaders.set(key, headers);
    }
    this.#send(request, response, this.#builderPage, headers);
  }

  #send(request: Request, response: Response, file: DashboardFile | undefined, fixed: readonly string[]): boolean {
    const variant = file?.encodings.find(({ encoding }) => encoding === 'identity' || request.acceptsEncodings(encoding));
    if (file === undefined || variant === undefined) return false;
    const headers = [...fixed, 'ETag', file.etag];
    if (request.headers['if-none-match']?.includes(file.etag)) {
      response.writeHead(304, headers).end();
      return true;
    }
    if (variant.encoding !== 'identity') headers.push('Content-Encoding', variant.encoding);
    response.writeHead(200, [...headers, 'Content-Type', file.type, 'Content-Length', String(variant.body.byteLength)]);
    response.end(request.method === 'HEAD' ? undefined : variant.body);
    return true;
  }
}

/** Content-Security-Policy source for every host below an origin. */
function subdomainsOf(origin: string): string {
  const { protocol, host } = new URL(origin);
  return `${protocol}//*.${host}`;
}
