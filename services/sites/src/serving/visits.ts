import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger, requestTarget } from '@webkiln/runtime';
import { acceptedEncoding } from '@webkiln/runtime/representations';
import type { Contents } from '../contents/contents.ts';
import { findPage } from '../resolutions/find-page.ts';
import type { Representation } from '../resolutions/representation.ts';
import type { Resolutions } from '../resolutions/resolutions.ts';
import type { PublishedFile, Site } from '../resolutions/site.ts';
import { countAnswer } from './count-answer.ts';
import { badRequest, methodNotAllowed, noSuchPage, noSuchSite, type PlainPage, suspendedSite, unavailable } from './plain-page.ts';
import { sendFile, sendIfKnown, sendMissing } from './send-file.ts';

interface Parts {
  readonly resolutions: Resolutions;
  readonly contents: Contents;
  readonly nameOf: (host: string | undefined) => string | undefined;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly name: string;
  /** The site was looked up again for this request: its files were gone, so another deploy must be live. */
  lookedAgain: boolean;
}

/** Answers the requests for published sites. What is in memory is answered in the turn that asks for it. */
export class Visits {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    countAnswer(response);
    const name = this.#parts.nameOf(request.headers.host);
    if (name === undefined) sendPage(response, noSuchSite);
    else if (request.method !== 'GET' && request.method !== 'HEAD') sendPage(response, methodNotAllowed);
    else this.#begin({ request, response, name, lookedAgain: false });
  };

  #begin(visit: Visit): void {
    const { resolutions } = this.#parts;
    const known = resolutions.known(visit.name);
    if (known !== undefined) this.#show(visit, known);
    else
      resolutions
        .find(visit.name)
        .then((site) => this.#show(visit, site))
        .catch((error) => fail(visit, error));
  }

  #show(visit: Visit, site: Site | null): void {
    const { request, response } = visit;
    const target = requestTarget(request.url ?? '');
    if (site === null) return void sendPage(response, noSuchSite);
    if (site.suspended) return void sendPage(response, suspendedSite);
    if (target === undefined) return void sendPage(response, badRequest);
    const page = findPage(site, target.path);
    if (page === undefined) return void this.#showMissing(visit, site);
    if ('location' in page) return void redirect(response, `${page.location}${target.query}`);
    const wanted = formFor(request, page.file);
    if (sendIfKnown(request, response, wanted)) return;
    this.#withContent(visit, wanted, (content) => sendFile(request, response, wanted, content));
  }

  #showMissing(visit: Visit, site: Site): void {
    const own = site.files.get('404.html');
    if (own === undefined) return void sendPage(visit.response, noSuchPage);
    const wanted = formFor(visit.request, own);
    this.#withContent(visit, wanted, (content) => sendMissing(visit.response, wanted, content));
  }

  #withContent(visit: Visit, wanted: Representation, send: (content: Buffer) => void): void {
    const { contents } = this.#parts;
    const cached = contents.cached(wanted);
    if (cached !== undefined) send(cached);
    else
      contents
        .load(wanted)
        .then(send)
        .catch((error) => this.#loadFailed(visit, error));
  }

  /** Files of a deploy go some time after it: whoever finds them gone knew of a deploy that is not live any more. */
  #loadFailed(visit: Visit, error: unknown): void {
    const gone = error instanceof AppError && error.code === 'file_not_found';
    if (!gone || visit.lookedAgain || visit.response.headersSent) return void fail(visit, error);
    visit.lookedAgain = true;
    this.#parts.resolutions.distrust(visit.name);
    this.#begin(visit);
  }
}

const formFor = (request: IncomingMessage, file: PublishedFile): Representation =>
  file.as(acceptedEncoding(request.headers['accept-encoding'] as string | undefined, file.encodings));

/** For as long as the deploy is live, so it is asked for each time. */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, ['Location', location, 'Cache-Control', 'no-cache', 'Content-Length', '0']).end();
}

function fail({ name, response }: Visit, error: unknown): void {
  if (error instanceof AppError) logger.warn({ err: error, site: name }, 'a site could not be shown');
  else logger.error({ err: error, site: name }, 'a visit failed');
  if (response.headersSent) response.destroy();
  else sendPage(response, unavailable);
}

function sendPage(response: ServerResponse, { status, headers, body }: PlainPage): void {
  response.writeHead(status, [...headers]).end(body);
}
