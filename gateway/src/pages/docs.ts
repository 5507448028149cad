import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import { securityHeaders } from '../security-headers.ts';
import { type Encoded, encode, encodedFor } from './encodings.ts';
import type { RenderedDocument } from './rendered-document.ts';

type Page = 'index' | 'json' | 'yaml' | 'html' | 'script';

/** The pages below {base_url}; of `preferred` and `index` browsers get the reference. */
const pages: ReadonlyMap<string, Page | 'preferred'> = new Map([
  ['/', 'index'],
  ['/docs', 'preferred'],
  ['/docs.html', 'html'],
  ['/docs.json', 'json'],
  ['/docs.yaml', 'yaml'],
  ['/docs/reference.js', 'script'],
  ['/openapi.json', 'json'],
  ['/openapi.yaml', 'yaml'],
] as const);

/**
 * The Scalar reference injects style elements, hence 'unsafe-inline' for styles. Scripts load from this origin only.
 */
const referenceHeaders = [
  ...securityHeaders(
    {
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
    },
    'same-origin',
  ),
];

/** Anybody may read the document, from any page, and keep it for five minutes. */
const documentHeaders = [
  ...securityHeaders(),
  ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'public, max-age=300', 'Vary', 'Accept, Accept-Encoding'],
];

const settings = JSON.stringify({
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
}).replaceAll('"', '&quot;');

const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Webkiln agency API</title></head>
<body><script id="api-reference" data-url="/api/v1/docs.json" data-configuration="${settings}"></script><script src="/api/v1/docs/reference.js"></script></body>
</html>
`;

/**
 * Serves {base_url}, {base_url}/docs and the document's usual addresses without a credential: the OpenAPI document as
 * JSON or YAML, and an interactive reference for browsers.
 */
export class Docs {
  readonly #responses: ResponseWriter;
  readonly #origin: string;
  readonly #baseUrl: string;
  readonly #index: string;
  /** Leads programs to the document (RFC 8631). */
  readonly #links: readonly string[];
  #rendered: Promise<RenderedDocument> | undefined;
  #script: Promise<Encoded> | undefined;

  constructor(responses: ResponseWriter, origin: string, baseUrl: string) {
    this.#responses = responses;
    this.#origin = origin;
    this.#baseUrl = baseUrl;
    const addresses = { openapi: `${baseUrl}/openapi.json`, documentation: `${origin}/docs`, llms: `${origin}/llms.txt` };
    this.#index = JSON.stringify({ name: 'Webkiln agency API', version: '1.0.0', ...addresses, mcp: `${origin}/api/mcp` });
    const { openapi, documentation } = addresses;
    this.#links = [
      ...['Link', `<${openapi}>; rel="service-desc"; type="application/json", <${documentation}>; rel="service-doc"; type="text/html"`],
    ];
  }

  /** The page that a GET or HEAD of a path requests; undefined if it is for an operation. */
  find(url: string, request: IncomingMessage): Page | undefined {
    const page = pages.get(url);
    if (page === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
    if (page !== 'preferred' && page !== 'index') return page;
    const preferred = preferredPage(request.headers.accept ?? '');
    return page === 'index' && preferred === 'json' ? 'index' : preferred;
  }

  async send(exchange: Exchange, page: Page): Promise<void> {
    const vary = ['Vary', 'Accept'];
    if (page === 'index') return this.#responses.json(exchange, 200, this.#index, [...vary, ...this.#links]);
    if (page === 'html')
      return this.#responses.send(
        exchange,
        200,
        html,
        ['Content-Type', 'text/html; charset=utf-8', ...vary, ...this.#links],
        referenceHeaders,
      );
    if (page === 'script') {
      this.#script ??= loadScript();
      const caching = ['Cache-Control', 'public, max-age=86400', 'Vary', 'Accept-Encoding'];
      return this.#sendEncoded(exchange, await this.#script, 'text/javascript', [...referenceHeaders, ...caching]);
    }
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
    this.#rendered ??= import('./rendered-document.ts').then(({ renderDocument }) => renderDocument(this.#origin, this.#baseUrl));
    return this.#rendered;
  }
}

async function loadScript(): Promise<Encoded> {
  const entry = createRequire(import.meta.url).resolve('@scalar/api-reference');
  return encode(await readFile(path.join(entry.slice(0, entry.lastIndexOf(`${path.sep}dist${path.sep}`)), 'dist/browser/standalone.js')));
}

function preferredPage(accept: string): 'html' | 'yaml' | 'json' {
  if (accept.includes('text/html')) return 'html';
  return /\b(application|text)\/(x-)?yaml\b/.test(accept) ? 'yaml' : 'json';
}
