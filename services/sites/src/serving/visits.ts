import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger, requestTarget } from '@webkiln/runtime';
import type { Contents } from '../contents/contents.ts';
import { findPage } from '../resolutions/find-page.ts';
import type { Representation } from '../resolutions/representation.ts';
import { hasEnded, type Site } from '../resolutions/site.ts';
import { countAnswer } from './count-answer.ts';
import type { Domain } from './domain.ts';
import { formFor } from './form-for.ts';
import { badRequest, emptyDraft, noSuchPage, noSuchSite, suspendedSite, unavailable } from './plain-page.ts';
import { sendFile, sendIfKnown, sendMissing } from './send-file.ts';
import { redirect, sendPage } from './send-page.ts';

interface Parts {
  readonly domains: readonly Domain[];
  readonly contents: Contents;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly domain: Domain;
  readonly name: string;
  /** The site was looked up again for this request: its files were gone, so another deploy must be live. */
  lookedAgain: boolean;
}

/** Answers the requests for published sites and previews. What is in memory is answered in the turn that asks for it. */
export class Visits {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    countAnswer(response);
    const { host } = request.headers;
    for (const domain of this.#parts.domains) {
      const name = domain.nameOf(host);
      if (name !== undefined) return void this.#visit({ request, response, domain, name, lookedAgain: false });
    }
    sendPage(response, noSuchSite);
  };

  #visit(visit: Visit): void {
    const { request, response, domain } = visit;
    for (const [name, value] of domain.headers) response.setHeader(name, value);
    if (request.method === 'GET' || request.method === 'HEAD') this.#begin(visit);
    else sendPage(response, domain.readOnly);
  }

  #begin(visit: Visit): void {
    const { resolutions } = visit.domain;
    const known = resolutions.known(visit.name);
    if (known !== undefined) this.#show(visit, known);
    else
      resolutions
        .find(visit.name)
        .then((site) => this.#show(visit, site))
        .catch((error) => fail(visit, error));
  }

  #show(visit: Visit, site: Site | null): void {
    const { request, response, domain } = visit;
    const target = requestTarget(request.url ?? '');
    if (site === null || hasEnded(site)) return void sendPage(response, domain.nothing);
    if (site.suspended) return void sendPage(response, suspendedSite);
    if (target === undefined) return void sendPage(response, badRequest);
    if (site.files.size === 0) return void sendPage(response, emptyDraft);
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
    visit.domain.resolutions.distrust(visit.name);
    this.#begin(visit);
  }
}

function fail({ domain, name, response }: Visit, error: unknown): void {
  const site = domain.namesAreSecret ? undefined : name;
  if (error instanceof AppError) logger.warn({ err: error, site }, 'a site could not be shown');
  else logger.error({ err: error, site }, 'a visit failed');
  if (response.headersSent) response.destroy();
  else sendPage(response, unavailable);
}
