import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Language, languages, sessionDigest } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { languageOf } from '@webkiln/texts';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { securityHeaders } from '../security-headers.ts';

/** Pages of other origins load it, also under Cross-Origin-Embedder-Policy or with `crossorigin`. */
const embedScript = '/embed.js';
const embedScriptHeaders: readonly string[] = [
  ...securityHeaders(),
  ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'public, max-age=3600', 'Vary', 'Accept-Encoding'],
];

const pageCaching = ['Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding, Accept-Language, Cookie'];

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
  readonly #pages: Readonly<Record<Language, LanguagePages>>;
  readonly #pageHeaders: readonly string[];
  /** The headers of the builder, for each list of origins that may show it in a frame. */
  readonly #builderHeaders = new LRUCache<string, readonly string[]>({ max: 1000 });
  readonly #embedOrigins = new EmbedOrigins();
  readonly #policy: Readonly<Record<string, readonly string[]>>;
  readonly #assetHeaders: readonly string[];

  constructor({ folder, sitesOrigin, previewOrigin }: Options) {
    this.#files = readDashboard(folder);
    this.#pages = readPages(folder, this.#files);
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
    if (url.startsWith('/api/') || !request.headers.accept?.includes('text/html')) return false;
    const { page, preloadLinks } = this.#pages[languageOf(request.headers)];
    if (sessionDigest(request.headers.cookie) === undefined) return this.#send(request, response, page, this.#pageHeaders);
    const link = url === '/' ? preloadLinks.home : preloadLinks.other;
    return this.#send(request, response, page, [...this.#pageHeaders, 'Link', link]);
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
      const caller = callerFor(servicePrincipal('gateway', ''), { timeoutMs: originsTimeoutMs });
      const { origins } = await call('identity.GetEmbedOrigins', { embed_client_id: id }, caller);
      this.#known.set(id, origins);
      return origins;
    } catch (err) {
      logger.warn({ err, embed_client_id: id }, 'origins of an embed client not read; no page may show its builder');
      return none;
    }
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A built file with its encodings, in order of preference. */
interface DashboardFile {
  readonly type: string;
  /** Strong ETag of the content, with its quotes. */
  readonly etag: string;
  readonly encodings: readonly { readonly encoding: 'br' | 'gzip' | 'identity'; readonly body: Buffer }[];
}

/** Reads every file of a built dashboard (some hundred KB) by its URL path ("/assets/…"). */
function readDashboard(folder: string): ReadonlyMap<string, DashboardFile> {
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[path.extname(name)];
    if (type === undefined || !statSync(path.join(folder, name)).isFile()) continue;
    const read = (suffix: string) => readFileSync(path.join(folder, `${name}${suffix}`));
    const plain = read('');
    files.set(`/${name.split(path.sep).join('/')}`, {
      type,
      etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
      encodings: [
        { encoding: 'br', body: read('.br') },
        { encoding: 'gzip', body: read('.gz') },
        { encoding: 'identity', body: plain },
      ],
    });
  }
  return files;
}

const Preloads = z.object({ home: z.array(z.string()), other: z.array(z.string()) });
const PreloadManifest = z.record(z.enum(languages), Preloads);

/** The pages in one language, whose texts are in their scripts. */
interface LanguagePages {
  readonly page: DashboardFile;
  readonly builder: DashboardFile;
  /**
   * `Link: rel=modulepreload` headers (RFC 8288) for signed-in users: the browser fetches scripts while it still parses
   * the page. Those of the home page, and of every other page.
   */
  readonly preloadLinks: { readonly home: string; readonly other: string };
}

/** Reads `module-preloads.json`, which the dashboard's build writes, and finds the pages of each language. */
function readPages(folder: string, files: ReadonlyMap<string, DashboardFile>): Record<Language, LanguagePages> {
  const manifest = PreloadManifest.parse(JSON.parse(readFileSync(path.join(folder, 'module-preloads.json'), 'utf8')));
  const pagesIn = (language: Language): LanguagePages => {
    const [page, builder] = [files.get(`/${language}/index.html`), files.get(`/${language}/builder.html`)];
    if (page === undefined || builder === undefined) throw new Error(`${folder} has no page in ${language}: build the dashboard into it`);
    const { home, other } = manifest[language];
    return { page, builder, preloadLinks: { home: preloadLinks(home), other: preloadLinks(other) } };
  };
  return Object.fromEntries(languages.map((language) => [language, pagesIn(language)])) as Record<Language, LanguagePages>;
}

const preloadLinks = (files: readonly string[]) => files.map((file) => `</${file}>; rel=modulepreload`).join(', ');
