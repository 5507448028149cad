import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { requestTarget } from '@webkiln/http';
import type { Contents } from '../contents/contents.ts';
import { answerOf } from '../resolutions/answer.ts';
import { hasExpired, pauseOf, type Site } from '../resolutions/site.ts';
import { type Domain, failVisit, siteAt, type Visit } from './domain.ts';
import { badRequest, emptyDraft, pageNotFound, sendPage, siteNotFound, siteSuspended } from './plain-page.ts';
import { FileResponses, type LargeFiles, sendRedirect } from './send-file.ts';

/** `Sec-Fetch-Dest` of what can run scripts of the site, or those of one that was at its name before. */
const documents = new Set(['document', 'iframe', 'frame', 'serviceworker']);

/** Browsers that do not send Sec-Fetch-Dest clear with every response. */
const mustClearStorage = ({ clearsStorageUntil = 0 }: Site, { headers: { 'sec-fetch-dest': dest = 'document' } }: IncomingMessage) =>
  clearsStorageUntil > Date.now() && documents.has(dest);

interface Options {
  readonly domains: readonly Domain[];
  readonly contents: Contents;
  readonly largeFiles: LargeFiles;
}

/** Serves published sites and previews. A response from memory is sent in the event-loop tick of its request. */
export class Visits {
  readonly #domains: readonly Domain[];
  readonly #files: FileResponses;

  constructor({ domains, contents, largeFiles }: Options) {
    this.#domains = domains;
    this.#files = new FileResponses(contents, largeFiles, (visit, error) => this.#loadFailed(visit, error));
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { host } = request.headers;
    for (const domain of this.#domains) {
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
    const site = siteAt(visit.domain.resolutions, visit.name, visit);
    if (!(site instanceof Promise)) this.#respond(visit, site);
    else site.then((found) => this.#respond(visit, found)).catch((error) => failVisit(visit, error));
  }

  #respond(visit: Visit, site: Site | null): void {
    const { request, response, domain } = visit;
    const target = requestTarget(request.url ?? '');
    if (site === null || hasExpired(site)) return void sendPage(response, domain.notFound);
    const pause = pauseOf(site);
    if (pause !== undefined) return void sendPage(response, pause === 'suspended' ? siteSuspended : domain.takenDown);
    if (target === undefined) return void sendPage(response, badRequest);
    if (site.movedTo !== undefined) return void sendRedirect(response, 301, `${site.movedTo}${request.url}`);
    if (mustClearStorage(site, request)) response.setHeader('Clear-Site-Data', '"cache", "storage"');
    if (site.files.size === 0) return void sendPage(response, emptyDraft);
    const { answer, own } = answerOf(site, request.headers.host ?? '', target);
    if (answer === undefined) sendPage(response, pageNotFound);
    else if ('location' in answer) sendRedirect(response, answer.status, answer.location);
    else this.#files.send(visit, answer.file, answer.status === 404 ? 404 : 200, own);
  }

  /**
   * Files are deleted some time after their deploy was replaced. A missing file means that the cached resolution is
   * stale.
   */
  #loadFailed(visit: Visit, error: unknown): void {
    const isGone = error instanceof AppError && error.code === 'file_not_found';
    if (!isGone || visit.isRetry || visit.response.headersSent) return void failVisit(visit, error);
    visit.isRetry = true;
    visit.domain.resolutions.invalidate(visit.name);
    this.#resolve(visit);
  }
}
