import { type Language, sessionDigest } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { languageOf } from '@webkiln/texts';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { securityHeaders } from '../security-headers.ts';
import { type DashboardFile, type LanguagePages, pageWith, readDashboard, readPages } from './dashboard-files.ts';
import { type Agency, buildPreviewOf } from './link-preview.ts';

/** Pages of other origins load it, also under Cross-Origin-Embedder-Policy or with `crossorigin`. */
const embedScript = '/embed.js';
const embedScriptHeaders: readonly string[] = [
  ...securityHeaders(),
  ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'public, max-age=3600', 'Vary', 'Accept-Encoding'],
];

const pageCaching = ['Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding, Accept-Language, Cookie'];

interface Options {
  readonly origin: string;
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
  readonly #origin: string;
  readonly #files: ReadonlyMap<string, DashboardFile>;
  readonly #pages: Readonly<Record<Language, LanguagePages>>;
  readonly #pageHeaders: readonly string[];
  /** The headers of the builder, for each list of origins that may show it in a frame. */
  readonly #builderHeaders = new LRUCache<string, readonly string[]>({ max: 1000 });
  /** Pages of build links, by language and link: an agency's new name shows after a while. */
  readonly #buildPages = new LRUCache<string, DashboardFile>({ max: 200, ttl: 60_000 });
  readonly #embedOrigins = new EmbedOrigins();
  readonly #policy: Readonly<Record<string, readonly string[]>>;
  readonly #assetHeaders: readonly string[];

  constructor({ origin, folder, sitesOrigin, previewOrigin }: Options) {
    this.#origin = origin;
    this.#files = readDashboard(folder);
    this.#pages = readPages(folder, this.#files, origin);
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
    const { path: url } = request;
    if (url === embedScript) return this.#send(request, response, this.#files.get(url), embedScriptHeaders);
    if (url.startsWith('/assets/')) return this.#send(request, response, this.#files.get(url), this.#assetHeaders);
    if (!isForPage(request)) return false;
    return this.#sendPage(request, response, this.#pages[languageOf(request.headers)].page);
  }

  /** Sends the page of a build link. What links to it show names the agency; `open` finds it, or rejects. */
  async sendBuild(request: Request, response: Response, open: (id: string) => Promise<Agency>): Promise<void> {
    const language = languageOf(request.headers);
    const { page } = this.#pages[language];
    const id = String(request.query.l);
    const known = this.#buildPages.get(`${language} ${id}`);
    // An ended link, and one that is asked for too often, is a page like any other.
    const agency = known === undefined ? await open(id).catch(() => undefined) : undefined;
    const ofAgency = known ?? (agency && pageWith(page, buildPreviewOf(this.#origin, language, agency)));
    if (ofAgency !== undefined) this.#buildPages.set(`${language} ${id}`, ofAgency, { noUpdateTTL: true });
    this.#sendPage(request, response, ofAgency ?? page);
  }

  /** Sends a page with the preloads of signed-in users. */
  #sendPage(request: Request, response: Response, page: DashboardFile): boolean {
    if (sessionDigest(request.headers.cookie) === undefined) return this.#send(request, response, page, this.#pageHeaders);
    const { preloadLinks } = this.#pages[languageOf(request.headers)];
    const links = projectPath.test(request.path) ? preloadLinks.project : preloadLinks.other;
    return this.#send(request, response, page, [...this.#pageHeaders, 'Link', links]);
  }

  /** Sends the builder, which the pages of the embed client that the URL names may show in a frame. */
  async sendBuilder(request: Request, response: Response): Promise<void> {
    const origins = await this.#embedOrigins.find(request.query.e);
    const key = origins.join(' ');
    let headers = this.#builderHeaders.get(key);
    if (headers === undefined) {
      const ancestors = origins.length === 0 ? ["'none'"] : ["'self'", ...origins];
      headers = [...securityHeaders({ ...this.#policy, 'frame-ancestors': ancestors }, 'same-origin'), ...pageCaching];
      this.#builderHeaders.set(key, headers);
    }
    this.#send(request, response, this.#pages[languageOf(request.headers)].builder, headers);
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

const projectPath = /^\/projects\/[^/]+$/;
const notPages = /^\/(?:api|oauth|\.well-known)\/|\.[a-z0-9]{1,8}$/i;

/**
 * True for a request that a page answers: browsers name HTML, and link previews, monitors and search engines take
 * anything or say nothing. Those do not get a page for a file or a document that does not exist.
 */
function isForPage(request: Request): boolean {
  if (request.path.startsWith('/api/')) return false;
  return request.headers.accept?.includes('text/html') || (request.accepts(['html', 'json']) === 'html' && !notPages.test(request.path));
}

/** Content-Security-Policy source for every host below an origin. */
function subdomainsOf(origin: string): string {
  const { protocol, host } = new URL(origin);
  return `${protocol}//*.${host}`;
}

const originsTimeoutMs = 2000;
const maxKnown = 1000;
/** A change of an embed client's origins shows after this time. */
const keptMs = 10_000;
const none: readonly string[] = [];
const embedClientId = /^emb_[0-9a-f]{32}$/;

/** The origins of embed clients, whose pages may show the builder in a frame. */
class EmbedOrigins {
  readonly #known = new LRUCache<string, readonly string[]>({ max: maxKnown, ttl: keptMs });

  /** Empty for an unknown embed client, and while identity cannot be reached: then no page may show the builder. */
  async find(id: unknown): Promise<readonly string[]> {
    if (typeof id !== 'string' || !embedClientId.test(id)) return none;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      const caller = serviceCaller('gateway', '', originsTimeoutMs);
      const { origins } = await call('identity.GetEmbedOrigins', { embed_client_id: id }, caller);
      this.#known.set(id, origins);
      return origins;
    } catch (err) {
      logger.warn({ err, embed_client_id: id }, 'origins of an embed client not read; no page may show its builder');
      return none;
    }
  }
}
