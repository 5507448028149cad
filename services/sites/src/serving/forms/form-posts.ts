import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { visitorAddress } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import Negotiator from 'negotiator';
import type { SentForm } from '../../forms/intake/accept-submission.ts';
import { readFields } from '../../forms/intake/form-fields.ts';
import { FormRefusal } from '../../forms/intake/form-refusal.ts';
import type { ResolutionCache } from '../../resolutions/resolution-cache.ts';
import { pauseOf } from '../../resolutions/site.ts';
import { siteAt } from '../domain.ts';
import { type PlainPage, sendPage, tooManyNames } from '../plain-page.ts';
import { formEntries } from './form-entries.ts';
import { accepted, refusals, thanks, thanksReadOnly, tooManyToday } from './form-responses.ts';

interface Options {
  readonly resolutions: Pick<ResolutionCache, 'cached' | 'find'>;
  readonly nameOf: (host: string | undefined) => string | undefined;
  /** Stores a submission. Throws a `FormRefusal`, or any other error if it cannot be stored. */
  readonly accept: (sent: SentForm) => Promise<void>;
}

/** A complete response, or the path to redirect the visitor to. */
type Outcome = PlainPage | { readonly location: string };

const formPath = /^\/_forms\/([a-z0-9][a-z0-9_-]{0,63})(\/thanks)?(?:\?|$)/i;

/** True if a request is for a form rather than for a file of the site. */
export const isFormRequest = ({ url }: IncomingMessage): boolean => url?.startsWith('/_forms/') ?? false;

/** Handles the forms of published sites. */
export class FormPosts {
  readonly #options: Options;
  readonly #bodies = new FormBodies();

  constructor(options: Options) {
    this.#options = options;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#accept(request, response)
      .catch((error: unknown) => refusalFor(request, error))
      .then((outcome) => {
        if ('location' in outcome)
          response.writeHead(303, ['Location', outcome.location, 'Cache-Control', 'no-store', 'Content-Length', '0']).end();
        else sendPage(response, outcome);
      });
  };

  async #accept(request: IncomingMessage, response: ServerResponse): Promise<Outcome> {
    const name = this.#options.nameOf(request.headers.host);
    const site = name === undefined ? null : await siteAt(this.#options.resolutions, name, { request, response });
    if (site === null) return negotiate(request, refusals.no_site);
    const pause = pauseOf(site);
    if (pause !== undefined) return negotiate(request, refusals[pause]);
    const [path, form, isThanks] = formPath.exec(request.url ?? '') ?? [];
    if (path === undefined || form === undefined) throw new FormRefusal('not_here');
    if (isThanks !== undefined) return request.method === 'GET' || request.method === 'HEAD' ? thanks : thanksReadOnly;
    if (request.method !== 'POST') return negotiate(request, refusals.method_not_allowed);
    if (!isFromSameSite(request.headers)) throw new FormRefusal('foreign_origin');
    const entries = await formEntries(await this.#bodies.read(request), request.headers['content-type'] ?? '');
    const { fields, controls } = readFields(entries);
    const sent = {
      org_id: site.orgId,
      project_id: site.projectId,
      isOfJoined: site.isOfJoined === true,
      form: form.toLowerCase(),
      page: pageOf(request.headers),
      fields,
      controls,
    };
    await this.#options.accept({ ...sent, address: visitorAddress(request) });
    if (prefersJson(request)) return accepted;
    return { location: pathOnSite(controls.next) ?? `/_forms/${form}/thanks` };
  }
}

const [htmlType, jsonType] = ['text/html', 'application/json'];

/** True if the caller asks for JSON, or sent JSON and accepts any type (RFC 9110 §12.5.1). */
function prefersJson({ headers }: IncomingMessage): boolean {
  const sentJson = headers['content-type']?.startsWith(jsonType) ?? false;
  const available = sentJson ? [jsonType, htmlType] : [htmlType, jsonType];
  return new Negotiator({ headers: { accept: headers.accept ?? '*/*' } }).mediaTypes(available)[0] === jsonType;
}

const negotiate = (request: IncomingMessage, { html, json }: (typeof refusals)['empty']): PlainPage => (prefersJson(request) ? json : html);

function refusalFor(request: IncomingMessage, error: unknown): PlainPage {
  if (error instanceof FormRefusal)
    return negotiate(request, error.reason === 'too_many_today' ? tooManyToday(new Date()) : refusals[error.reason]);
  if (error instanceof AppError && error.code === 'rate_limited') return tooManyNames;
  if (error instanceof AppError) logger.warn({ err: error }, 'form submission not stored; responding 503');
  else if (!request.destroyed || request.complete) logger.error({ err: error }, 'form submission failed; responding 503');
  return negotiate(request, refusals.unavailable);
}

const maxBodyBytes = 256 * 1024;
const initialBytes = 4096;
/** Bounds the buffers of all requests in this process together. */
const maxBufferedBytes = 32 * 1024 * 1024;

/** Reads request bodies within one memory budget, however slowly and in however many pieces they arrive. */
class FormBodies {
  #bufferedBytes = 0;

  /** Returns the body. Throws a `FormRefusal` as soon as the body or the budget is exceeded. */
  async read(request: IncomingMessage): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw new FormRefusal('too_large');
    let body = Buffer.alloc(0);
    let size = 0;
    try {
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size + piece.byteLength > maxBodyBytes) throw new FormRefusal('too_large');
        if (size + piece.byteLength > body.byteLength) {
          const larger = Buffer.alloc(Math.min(Math.max(initialBytes, 2 * (size + piece.byteLength)), maxBodyBytes));
          this.#bufferedBytes += larger.byteLength - body.byteLength;
          body.copy(larger, 0, 0, size);
          body = larger;
          if (this.#bufferedBytes > maxBufferedBytes) throw new FormRefusal('overloaded');
        }
        piece.copy(body, size);
        size += piece.byteLength;
      }
    } finally {
      this.#bufferedBytes -= body.byteLength;
    }
    return body.subarray(0, size);
  }
}

const maxPathLength = 2048;

/**
 * True if a request comes from a page of the site itself (Fetch §3.2). Browsers send the Origin of every posted form,
 * or "null" if the page's referrer policy hides it; then `Sec-Fetch-Site` decides.
 */
function isFromSameSite({ origin, host = '', 'sec-fetch-site': fetchSite }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  if (origin === 'null') return fetchSite === 'same-origin';
  const from = parseUrl(origin);
  return from !== undefined && from.host === parseUrl(`${from.protocol}//${host}`)?.host;
}

/** The path of the referring page; "/" if there is no Referer or it is not a page of the site. */
function pageOf({ referer = '', host = '' }: IncomingHttpHeaders): string {
  const page = parseUrl(referer);
  const isOwn = page !== undefined && page.host === parseUrl(`${page.protocol}//${host}`)?.host;
  return isOwn && page.pathname.length <= maxPathLength ? page.pathname : '/';
}

const anySite = 'https://site.invalid';

/** The redirect target that a form asks for, as path, query and fragment; undefined unless it stays on the site. */
function pathOnSite(wanted: string | undefined): string | undefined {
  if (wanted === undefined || !wanted.startsWith('/') || wanted.length > maxPathLength) return undefined;
  const url = parseUrl(wanted, anySite);
  // "//evil.example" and "/\evil.example" begin with a slash as well.
  return url?.origin === anySite ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

const parseUrl = (text: string, base?: string): URL | undefined => URL.parse(text, base) ?? undefined;
