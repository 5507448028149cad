import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { requestTarget, visitorAddress } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import Negotiator from 'negotiator';
import type { SentForm } from '../../forms/intake/accept-submission.ts';
import { formNameField, readFields } from '../../forms/intake/form-fields.ts';
import { FormRefusal } from '../../forms/intake/form-refusal.ts';
import type { ResolutionCache } from '../../resolutions/resolution-cache.ts';
import { pauseOf, type Site } from '../../resolutions/site.ts';
import { siteAt } from '../domain.ts';
import { type PlainPage, sendPage, tooManyNames } from '../plain-page.ts';
import { formEntries } from './form-entries.ts';
import { accepted, refusals, thanks, thanksReadOnly, tooManyToday } from './form-responses.ts';
import { type FoundForm, findForm, type ReadFile } from './page-forms.ts';

interface Options {
  /** The answer to a POST that is no form. */
  readonly readOnly: PlainPage;
  /** Reads a page, to find the form in it that was sent. */
  readonly read: ReadFile;
  readonly resolutions: Pick<ResolutionCache, 'cached' | 'find'>;
  readonly nameOf: (host: string | undefined) => string | undefined;
  /** Stores a submission. Throws a `FormRefusal`, or any other error if it cannot be stored. */
  readonly accept: (sent: SentForm) => Promise<void>;
}

/** A complete response, or the path to redirect the visitor to. */
type Outcome = PlainPage | { readonly location: string };

const formPath = /^\/_forms\/([a-z0-9][a-z0-9_-]{0,63})(\/thanks)?(?:\?|$)/i;

const formType = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** True if a request is for a form rather than for a file of the site. Forms of Netlify's post to a page. */
export const isFormRequest = ({ url, method, headers }: IncomingMessage): boolean =>
  (url?.startsWith('/_forms/') ?? false) || (method === 'POST' && formType.test(headers['content-type'] ?? ''));

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
    const isOwnPath = request.url?.startsWith('/_forms/') ?? false;
    const [path, form, isThanks] = formPath.exec(request.url ?? '') ?? [];
    if (isOwnPath && (path === undefined || form === undefined)) throw new FormRefusal('not_here');
    if (isThanks !== undefined) return request.method === 'GET' || request.method === 'HEAD' ? thanks : thanksReadOnly;
    if (request.method !== 'POST') return negotiate(request, refusals.method_not_allowed);
    if (!isFromSameSite(request.headers)) throw new FormRefusal('foreign_origin');
    const entries = [...(await formEntries(await this.#bodies.read(request), request.headers['content-type'] ?? ''))];
    if (form !== undefined) return this.#store(request, site, { form, ...readFields(entries) });
    const found = await this.#formOf(request, site, entries);
    if (found === undefined) return this.#options.readOnly;
    const shown = found.leadsTo ? pathOnSite(request.url, request.headers) : undefined;
    return this.#store(request, site, { form: slugOf(found.name), ...readFields(entries, found), shown });
  }

  /** The form of Netlify's that was posted to a page. */
  #formOf(request: IncomingMessage, site: Site, entries: readonly (readonly [string, string])[]): Promise<FoundForm | undefined> {
    const name = entries.find(([field]) => field === formNameField)?.[1].trim();
    const path = requestTarget(request.url ?? '')?.path ?? '/';
    const page = request.headers.referer === undefined ? undefined : requestTarget(pageOf(request.headers))?.path;
    return findForm(this.#options.read, site, { name: name === '' ? undefined : name, path, page });
  }

  /** Stores a form; `shown` is the page that it leads to unless it names one. */
  async #store(request: IncomingMessage, site: Site, { form, fields, controls, shown }: ReadForm): Promise<Outcome> {
    await this.#options.accept({
      org_id: site.orgId,
      project_id: site.projectId,
      isOfJoined: site.isOfJoined === true,
      form: form.toLowerCase(),
      page: pageOf(request.headers),
      fields,
      controls,
      address: visitorAddress(request),
    });
    if (prefersJson(request)) return accepted;
    return { location: pathOnSite(controls.next, request.headers) ?? shown ?? `/_forms/${form}/thanks` };
  }
}

interface ReadForm extends ReturnType<typeof readFields> {
  /** Its name, as in `/_forms/<name>`. */
  readonly form: string;
  readonly shown?: string | undefined;
}

const maxNameLength = 64;

/** The name of a form as in `/_forms/<name>`: "kontakt-fur-gaste" for "Kontakt für Gäste". */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain.slice(0, 4 * maxNameLength).replaceAll(/[^a-z0-9_]+/g, '-');
  return slug.replace(/^[-_]+/, '').slice(0, maxNameLength) || 'form';
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

/**
 * The redirect target that a form asks for, as path, query and fragment; undefined unless it stays on the site. It may
 * be a full address of the site, or relative to the page that sent the form.
 */
function pathOnSite(wanted: string | undefined, headers: IncomingHttpHeaders): string | undefined {
  if (wanted === undefined || wanted.trim() === '' || wanted.length > maxPathLength) return undefined;
  const own = parseUrl(`https://${headers.host ?? ''}${pageOf(headers)}`);
  const url = own && parseUrl(wanted, own.href);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  // A scheme has its own usual port, which hosts leave out.
  const isOwn = url.host === own?.host || url.host === parseUrl(`${url.protocol}//${headers.host ?? ''}`)?.host;
  // "//evil.example" as a path of the site would lead to that host.
  return isOwn && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

const parseUrl = (text: string, base?: string): URL | undefined => URL.parse(text, base) ?? undefined;
