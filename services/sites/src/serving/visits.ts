import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { requestTarget } from '@webkiln/http';
import { contentChunkBytes } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type { Contents, Part } from '../contents/contents.ts';
import { findPage } from '../resolutions/find-page.ts';
import type { Representation } from '../resolutions/representation.ts';
import { hasExpired, type PublishedFile, pauseOf, type Site } from '../resolutions/site.ts';
import type { Domain } from './domain.ts';
import type { LargeFiles } from './large-files.ts';
import { badRequest, emptyDraft, pageNotFound, pauseNotices, sendPage, siteNotFound, unavailable } from './plain-page.ts';
import { negotiate, sendFile, sendIfNotModified, sendNotFound, sendRedirect } from './send-file.ts';

interface Options {
  readonly domains: readonly Domain[];
  readonly contents: Contents;
  readonly largeFiles: LargeFiles;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly domain: Domain;
  readonly name: string;
  /** True once the site was resolved again because its files were gone, which means that another deploy is live. */
  isRetry: boolean;
}

/** Serves published sites and previews. A response from memory is sent in the event-loop tick of its request. */
export class Visits {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { host } = request.headers;
    for (const domain of this.#options.domains) {
      const name = domain.nameOf(host);
      if (name !== undefined) return void this.#visit({ request, response, domain, name, isRetry: false });
    }
    sendPage(response, siteNotFound);
  };

  #visit(visit: Visit): void {
    const { request, response, domain } = visit;
    for (const [name, value] of domain.headers) response.setHeader(name, value);
    if (domain.framed?.sendScript(request, response)) return;
    if (request.method === 'GET' || request.method === 'HEAD') this.#resolve(visit);
    else sendPage(response, domain.readOnly);
  }

  #resolve(visit: Visit): void {
    const { resolutions } = visit.domain;
    const cached = resolutions.cached(visit.name);
    if (cached !== undefined) this.#respond(visit, cached);
    else
      resolutions
        .find(visit.name)
        .then((site) => this.#respond(visit, site))
        .catch((error) => fail(visit, error));
  }

  #respond(visit: Visit, site: Site | null): void {
    const { request, response, domain } = visit;
    const target = requestTarget(request.url ?? '');
    if (site === null || hasExpired(site)) return void sendPage(response, domain.notFound);
    const pause = pauseOf(site);
    if (pause !== undefined) return void sendPage(response, pauseNotices[pause]);
    if (target === undefined) return void sendPage(response, badRequest);
    if (site.files.size === 0) return void sendPage(response, emptyDraft);
    const page = findPage(site, target.path);
    if (page === undefined) return void this.#respondNotFound(visit, site);
    if ('location' in page) return void sendRedirect(response, `${page.location}${target.query}`);
    if (this.#sendFramed(visit, page.file, 200)) return;
    const wanted = negotiate(request, page.file);
    if (sendIfNotModified(request, response, wanted)) return;
    this.#withContent(visit, wanted, sendFile);
  }

  #respondNotFound(visit: Visit, site: Site): void {
    const own = site.files.get('404.html');
    if (own === undefined) return void sendPage(visit.response, pageNotFound);
    if (this.#sendFramed(visit, own, 404)) return;
    const wanted = negotiate(visit.request, own);
    this.#withContent(visit, wanted, sendNotFound);
  }

  /** Returns false, and sends nothing, unless the file is a page in a frame. One over a chunk is sent as it is. */
  #sendFramed(visit: Visit, file: PublishedFile, status: 200 | 404): boolean {
    const { request, response, domain } = visit;
    const { framed } = domain;
    const representation = file.representation('');
    if (!framed?.applies(request, file) || representation.maxBytes > contentChunkBytes) return false;
    this.#load(visit, representation, (part) => framed.send(request, response, file, part, status));
    return true;
  }

  #withContent(visit: Visit, representation: Representation, send: typeof sendFile): void {
    const { request, response } = visit;
    this.#load(visit, representation, (part) => send({ request, response, representation, part }, this.#options.largeFiles));
  }

  #load(visit: Visit, representation: Representation, sendPart: (part: Part) => void): void {
    const { contents } = this.#options;
    const cached = contents.cached(representation);
    if (cached !== undefined) sendPart(cached);
    else
      contents
        .load(representation)
        .then(sendPart)
        .catch((error) => this.#loadFailed(visit, error));
  }

  /**
   * Files are deleted some time after their deploy was replaced. A missing file means that the cached resolution is
   * stale.
   */
  #loadFailed(visit: Visit, error: unknown): void {
    const isGone = error instanceof AppError && error.code === 'file_not_found';
    if (!isGone || visit.isRetry || visit.response.headersSent) return void fail(visit, error);
    visit.isRetry = true;
    visit.domain.resolutions.invalidate(visit.name);
    this.#resolve(visit);
  }
}

function fail({ domain, name, response }: Visit, error: unknown): void {
  const site = domain.namesAreSecret ? undefined : name;
  if (error instanceof AppError) logger.warn({ err: error, site }, 'site unavailable; responding 503');
  else logger.error({ err: error, site }, 'visit failed; responding 503');
  if (response.headersSent) response.destroy();
  else sendPage(response, unavailable);
}
