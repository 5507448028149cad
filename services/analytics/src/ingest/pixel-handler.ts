import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorDetail } from '@webkiln/contract';
import { readBytes, visitorAddress } from '@webkiln/http';
import { counter, logger } from '@webkiln/runtime';
import type { DailySalts } from '../salts/daily-salts.ts';
import { sendTracker } from '../tracker/send-tracker.ts';
import type { AddressRateLimiter } from './address-rate-limiter.ts';
import type { CommitOutcome, GroupCommit, PendingRequest } from './group-commit.ts';
import { type CollectedEvent, parseCollectBody, parsePixelRequest, pathRequirement } from './parse-request.ts';
import type { PublishedSites } from './published-sites.ts';
import { encodeViews } from './views-publisher.ts';

interface Dependencies {
  readonly siteNameOf: (host: string | undefined) => string | undefined;
  readonly sites: PublishedSites;
  readonly rateLimiter: AddressRateLimiter;
  readonly salts: DailySalts;
  readonly groupCommit: GroupCommit;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly site: string;
  /** The visitor's address. */
  readonly address: string;
}

const maxBodyBytes = 64 * 1024;
const routes: ReadonlySet<string> = new Set(['/t.js', '/t.gif', '/api/collect']);

/** Serves the tracker and accepts views of published sites. Confirms a view only once it is on the stream's disk. */
export class PixelHandler {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '', method } = request;
    const site = this.#dependencies.siteNameOf(request.headers.host);
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    if (site === undefined) return void refuse(response, errors.siteNotFound);
    if (!routes.has(path)) return void refuse(response, errors.routeNotFound);
    const visit = { request, response, site, address: visitorAddress(request) };
    if (path === '/api/collect') {
      if (method !== 'POST') return void refuse(response, errors.methodNotAllowed, { headers: ['Allow', 'POST'] });
      return void this.#handleSite(visit, sendNoContent, this.#collect);
    }
    if (method !== 'GET' && method !== 'HEAD') return void refuse(response, errors.methodNotAllowed, { headers: ['Allow', 'GET, HEAD'] });
    if (path === '/t.js') return void sendTracker(request, response);
    if (method === 'HEAD') return void sendGif(response);
    this.#handleSite(visit, sendGif, this.#countPixel);
  };

  /** Answers visitors who opted out and names that are known to be unpublished. Passes other requests to `count`. */
  #handleSite(visit: Visit, answer: typeof sendGif, count: (visit: Visit) => void): void {
    const { request, response, site } = visit;
    const { dnt, 'sec-gpc': gpc } = request.headers;
    if (dnt === '1' || gpc === '1') return void answerOptedOut(response, answer);
    const { sites } = this.#dependencies;
    const proceed = (isPublished: boolean | undefined) => (isPublished === false ? refuse(response, errors.siteNotFound) : count(visit));
    const published = sites.peek(site);
    if (published !== undefined) proceed(published);
    else
      sites
        .lookUp(site)
        .then(proceed)
        .catch((error) => fail(visit, error));
  }

  readonly #countPixel = (visit: Visit): void => {
    if (!this.#admit(visit, 1)) return;
    const view = parsePixelRequest(visit.request);
    if (view === undefined) refuse(visit.response, errors.missingPath);
    else this.#commit(visit, [view], sendGif);
  };

  readonly #collect = (visit: Visit): void => {
    if (!this.#admit(visit, 1)) return;
    readBytes(visit.request, maxBodyBytes)
      .then((body) => {
        if (body === undefined) return void refuse(visit.response, errors.bodyTooLarge, { headers: ['Connection', 'close'] });
        const { events, refused } = parseCollectBody(body);
        const answer = refused.length === 0 ? sendNoContent : (response: ServerResponse) => sendCounted(response, events.length, refused);
        if (this.#admit(visit, events.length - 1)) this.#commit(visit, events, answer);
      })
      .catch((error) => fail(visit, error));
  };

  /** Applies the rate limit of the address. If it is exceeded, responds with 429 and returns false. */
  #admit({ response, address }: Visit, views: number): boolean {
    const waitSeconds = this.#dependencies.rateLimiter.consume(address, views, Date.now());
    if (waitSeconds > 0) refuse(response, errors.rateLimited, { headers: ['Retry-After', String(waitSeconds)] });
    return waitSeconds === 0;
  }

  #commit({ request, response, site, address }: Visit, events: readonly CollectedEvent[], answer: typeof sendGif): void {
    const { salts, groupCommit } = this.#dependencies;
    const now = Date.now();
    const identifier = salts.getIdentifier(now);
    if (identifier === undefined) return void refuse(response, errors.unavailable, { reason: 'no_salt' });
    const { host = '', 'user-agent': agent } = request.headers;
    const visitor = identifier.identify(site, address, agent);
    const views = encodeViews(events, { site, host, visitor, now });
    groupCommit.add(views, new PendingResponse(response, answer, { count: events.length, bot: visitor.bot }));
  }
}

function fail({ request, response, site }: Visit, error: unknown): void {
  if (request.destroyed && !request.complete) return;
  if (error instanceof AppError) return void refuse(response, error);
  logger.error({ err: error, site }, 'request for views failed');
  refuse(response, errors.internalError);
}

const refused = counter({
  name: 'webkiln_view_requests_refused_total',
  help: 'Requests whose views were not taken',
  labelNames: ['reason'],
});

/** Created once: constructing an error costs more than the rest of a refusal. */
const errors = {
  siteNotFound: new AppError('site_not_found'),
  routeNotFound: new AppError('route_not_found', [{ path: '', message: 'Here are /t.js, /t.gif and /api/collect' }]),
  methodNotAllowed: new AppError('method_not_allowed'),
  bodyTooLarge: new AppError('views_too_large'),
  rateLimited: new AppError('rate_limited'),
  missingPath: new AppError('validation_failed', [{ path: 'p', message: pathRequirement }]),
  unavailable: new AppError('unavailable'),
  overloaded: new AppError('overloaded'),
  internalError: new AppError('internal'),
};

/** Responds with an error and counts the reason. */
function refuse(
  response: ServerResponse,
  error: AppError,
  { reason = error.code as string, headers = [] as readonly string[] } = {},
): void {
  refused.inc({ reason });
  sendError(response, error, headers);
}

/** Sends the usual response without counting a view: the visitor opted out of tracking. */
function answerOptedOut(response: ServerResponse, answer: (response: ServerResponse) => void): void {
  refused.inc({ reason: 'opted_out' });
  answer(response);
}

/** A transparent pixel, 43 bytes. As a string, it goes out in one piece with the headers. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64').toString('latin1');

const commonHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
const gifHeaders = [...commonHeaders, 'Content-Type', 'image/gif', 'Content-Length', String(gif.length)];
const retryHeaders = ['Retry-After', '2'];

/** The usual response to GET /t.gif, whether or not a view was counted. HEAD gets it without a body. */
function sendGif(response: ServerResponse): void {
  response.writeHead(200, gifHeaders);
  response.end(gif, 'latin1');
}

/** The usual response to POST /api/collect, whether or not views were counted. */
function sendNoContent(response: ServerResponse): void {
  response.writeHead(204, [...commonHeaders]);
  response.end();
}

/** The response to POST /api/collect if some of its views could not be counted. */
function sendCounted(response: ServerResponse, counted: number, details: readonly ErrorDetail[]): void {
  const body = JSON.stringify({ counted, refused: details.length, details });
  response.writeHead(200, [...commonHeaders, ...jsonHeaders(body)]);
  response.end(body);
}

const jsonHeaders = (body: string) => [
  ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body))],
];

/** Sends the platform's error envelope with the headers that its status requires. */
function sendError(response: ServerResponse, { message, code, details, status }: AppError, extraHeaders: readonly string[] = []): void {
  const body = JSON.stringify({ error: message, code, ...(details.length > 0 && { details }) });
  response.writeHead(status, [...commonHeaders, ...jsonHeaders(body), ...(status === 503 ? retryHeaders : []), ...extraHeaders]);
  response.end(body);
}

const accepted = counter({
  name: 'webkiln_views_accepted_total',
  help: 'Views on the stream, by visitors and bots',
  labelNames: ['kind'],
});
const acceptedBots = accepted.labels({ kind: 'bot' });
const acceptedVisitors = accepted.labels({ kind: 'visitor' });

interface Views {
  readonly count: number;
  readonly bot: boolean;
}

/** Answers a request once the outcome of its views is known. */
class PendingResponse implements PendingRequest {
  readonly #response: ServerResponse;
  readonly #answer: (response: ServerResponse) => void;
  readonly #views: Views;

  constructor(response: ServerResponse, answer: (response: ServerResponse) => void, views: Views) {
    this.#response = response;
    this.#answer = answer;
    this.#views = views;
  }

  settle(outcome: CommitOutcome): void {
    if (outcome !== 'stored')
      return void refuse(this.#response, outcome === 'overloaded' ? errors.overloaded : errors.unavailable, { reason: outcome });
    (this.#views.bot ? acceptedBots : acceptedVisitors).inc(this.#views.count);
    this.#answer(this.#response);
  }
}
