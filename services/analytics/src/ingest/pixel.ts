import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger, readBytes } from '@webkiln/runtime';
import { visitorAddress } from '@webkiln/runtime/representations';
import type { DailySalts } from '../salts/daily-salts.ts';
import { sendTracker } from '../tracker/send-tracker.ts';
import type { AddressLimit } from './address-limit.ts';
import { sendGif, sendNothing } from './answers.ts';
import { type CollectedEvent, collectedEvents } from './collected-events.ts';
import type { Commits } from './commits.ts';
import { encodedViews } from './encoded-views.ts';
import type { KnownSites } from './known-sites.ts';
import { PendingViews } from './pending-views.ts';
import { pixelView } from './pixel-view.ts';
import { internal, noPage, noSuchPath, noSuchSite, optOut, refuse, tooLarge, tooMany, unavailable, wrongMethod } from './refusals.ts';

interface Parts {
  readonly nameOf: (host: string | undefined) => string | undefined;
  readonly sites: KnownSites;
  readonly limit: AddressLimit;
  readonly salts: DailySalts;
  readonly commits: Commits;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly site: string;
  /** Of the visitor. */
  readonly address: string;
}

const bodyBytesMost = 64 * 1024;
const routes: ReadonlySet<string> = new Set(['/t.js', '/t.gif', '/api/collect']);

/** Counts the views of published sites: answers "accepted" for what is on the stream's disk, and for nothing else. */
export class Pixel {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '', method } = request;
    const site = this.#parts.nameOf(request.headers.host);
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    if (site === undefined) return void refuse(response, noSuchSite);
    if (!routes.has(path)) return void refuse(response, noSuchPath);
    const visit = { request, response, site, address: visitorAddress(request) };
    if (path === '/api/collect') {
      if (method !== 'POST') return void refuse(response, wrongMethod, { headers: ['Allow', 'POST'] });
      return void this.#withSite(visit, sendNothing, this.#collect);
    }
    if (method !== 'GET' && method !== 'HEAD') return void refuse(response, wrongMethod, { headers: ['Allow', 'GET, HEAD'] });
    if (path === '/t.js') return void sendTracker(request, response);
    if (method === 'HEAD') return void sendGif(response);
    this.#withSite(visit, sendGif, this.#countPixel);
  };

  /** Goes on with a view that may be counted, of a site that is not known to be none. */
  #withSite(visit: Visit, usual: typeof sendGif, count: (visit: Visit) => void): void {
    const { request, response, site } = visit;
    const { dnt, 'sec-gpc': gpc } = request.headers;
    if (dnt === '1' || gpc === '1') return void optOut(response, usual);
    const { sites } = this.#parts;
    const goOn = (published: boolean | undefined) => (published === false ? refuse(response, noSuchSite) : count(visit));
    const known = sites.known(site);
    if (known !== undefined) goOn(known);
    else
      sites
        .find(site)
        .then(goOn)
        .catch((error) => fail(visit, error));
  }

  readonly #countPixel = (visit: Visit): void => {
    if (!this.#admit(visit, 1)) return;
    const view = pixelView(visit.request);
    if (view === undefined) refuse(visit.response, noPage);
    else this.#store(visit, [view], sendGif);
  };

  readonly #collect = (visit: Visit): void => {
    if (!this.#admit(visit, 1)) return;
    readBytes(visit.request, bodyBytesMost)
      .then((body) => {
        if (body === undefined) return void refuse(visit.response, tooLarge, { headers: ['Connection', 'close'] });
        const events = collectedEvents(body);
        if (this.#admit(visit, events.length - 1)) this.#store(visit, events, sendNothing);
      })
      .catch((error) => fail(visit, error));
  };

  /** Answers, and returns false, where an address has sent too much. */
  #admit({ response, address }: Visit, views: number): boolean {
    const waitSeconds = this.#parts.limit.take(address, views, Date.now());
    if (waitSeconds > 0) refuse(response, tooMany, { headers: ['Retry-After', String(waitSeconds)] });
    return waitSeconds === 0;
  }

  #store({ request, response, site, address }: Visit, events: readonly CollectedEvent[], usual: typeof sendGif): void {
    const { salts, commits } = this.#parts;
    const now = Date.now();
    const visitors = salts.visitorsAt(now);
    if (visitors === undefined) return void refuse(response, unavailable, { reason: 'no_salt' });
    const { host = '', 'user-agent': agent } = request.headers;
    const visitor = visitors.of(site, address, agent);
    const views = encodedViews(events, { site, host, visitor, now });
    commits.add(views, new PendingViews(response, usual, { count: events.length, bot: visitor.bot }));
  }
}

function fail({ request, response, site }: Visit, error: unknown): void {
  if (request.destroyed && !request.complete) return;
  if (error instanceof AppError) return void refuse(response, error);
  logger.error({ err: error, site }, 'views could not be read');
  refuse(response, internal);
}
