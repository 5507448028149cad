import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import { securityHeaders } from '../security-headers.ts';
import type { DocsPage } from './docs-site.ts';
import { type Encoded, encodedFor } from './encodings.ts';
import type { RenderedDocument } from './rendered-document.ts';

type Page = 'index' | 'json' | 'yaml' | 'reference';

/** The pages below {base_url}; of `preferred` and `index` browsers are led to the reference. */
export const docsPages: ReadonlyMap<string, Page | 'preferred'> = new Map([
  ['/', 'index'],
  ['/docs', 'preferred'],
  ['/docs.html', 'reference'],
  ['/docs.json', 'json'],
  ['/docs.yaml', 'yaml'],
  ['/openapi.json', 'json'],
  ['/openapi.yaml', 'yaml'],
] as const);

/** Anybody may read the document, from any page, and keep it for five minutes. */
const documentHeaders = [
  ...securityHeaders(),
  ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'public, max-age=300', 'Vary', 'Accept, Accept-Encoding'],
];

/**
 * Serves {base_url}, {base_url}/docs and the document's usual addresses without a credential: the OpenAPI document as
 * JSON or YAML. Browsers are led to the reference of the docs site.
 */
export class Docs {
  readonly #responses: ResponseWriter;
  readonly #origin: string;
  readonly #baseUrl: string;
  readonly #index: string;
  /** Leads programs to the document (RFC 8631). */
  readonly #links: readonly string[];
  readonly #site: readonly DocsPage[];
  #rendered: Promise<RenderedDocument> | undefined;

  constructor(responses: ResponseWriter, origin: string, baseUrl: string, site: readonly DocsPage[]) {
    this.#responses = responses;
    this.#site = site;
    this.#origin = origin;
    this.#baseUrl = baseUrl;
    const addresses = { openapi: `${baseUrl}/openapi.json`, documentation: `${origin}/docs`, llms: `${origin}/llms.txt` };
    this.#index = JSON.stringify({ name: 'Webkiln agency API', version: '1.0.0', ...addresses, mcp: `${origin}/api/mcp` });
    const { openapi, documentation } = addresses;
    this.#links = [
      ...['Link', `<${openapi}>; rel="service-desc"; type="application/json", <${documentation}>; rel="service-doc"; type="text/html"`],
    ];
  }

  /** The page that a GET or HEAD of a path of `docsPages` gets; undefined for other methods. */
  choose(page: Page | 'preferred', request: IncomingMessage): Page | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    if (page !== 'preferred' && page !== 'index') return page;
    const preferred = preferredPage(request.headers.accept ?? '');
    return page === 'index' && preferred === 'json' ? 'index' : preferred;
  }

  async send(exchange: Exchange, page: Page): Promise<void> {
    const vary = ['Vary', 'Accept'];
    if (page === 'index') return this.#responses.json(exchange, 200, this.#index, [...vary, ...this.#links]);
    if (page === 'reference')
      return this.#responses.send(exchange, 302, undefined, ['Location', `${this.#origin}/docs/reference`, ...vary, ...this.#links]);
    const type = page === 'json' ? 'application/json' : 'application/yaml';
    return this.#sendEncoded(exchange, (await this.#render())[page], type, [...documentHeaders, ...this.#links]);
  }

  /** The text of /llms.txt. */
  async llms(): Promise<Encoded> {
    return (await this.#render()).llms;
  }

  #sendEncoded(exchange: Exchange, content: Encoded, type: string, fixed: readonly string[]): void {
    const { body, headers } = encodedFor(exchange.request, content);
    this.#responses.send(exchange, 200, body, ['Content-Type', `${type}; charset=utf-8`, ...headers], fixed);
  }

  /** Imported on first use: the OpenAPI and YAML libraries take memory that most gateways never need. */
  #render(): Promise<RenderedDocument> {
    this.#rendered ??= import('./rendered-document.ts').then(({ renderDocument }) =>
      renderDocument(this.#origin, this.#baseUrl, this.#site),
    );
    return this.#rendered;
  }
}

function preferredPage(accept: string): 'reference' | 'yaml' | 'json' {
  if (accept.includes('text/html')) return 'reference';
  return /\b(application|text)\/(x-)?yaml\b/.test(accept) ? 'yaml' : 'json';
}
