import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import { securityHeaders } from '../security-headers.ts';
import type { RenderedDocument } from './rendered-document.ts';

type Page = 'json' | 'yaml' | 'html' | 'script';

const compress = promisify(brotliCompress);

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
 * Serves {base_url}/docs without a credential: the OpenAPI document as JSON or YAML, and an interactive reference for
 * browsers.
 */
export class Docs {
  readonly #responses: ResponseWriter;
  readonly #baseUrl: string;
  #rendered: Promise<RenderedDocument> | undefined;
  #script: Promise<Buffer> | undefined;

  constructor(responses: ResponseWriter, baseUrl: string) {
    this.#responses = responses;
    this.#baseUrl = baseUrl;
  }

  /** The page that a GET or HEAD of a path below /docs requests; undefined if it is not for the docs. */
  find(url: string, request: IncomingMessage): Page | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    if (url === '/docs') return preferredPage(request.headers.accept ?? '');
    return ({ '/docs.html': 'html', '/docs.json': 'json', '/docs.yaml': 'yaml', '/docs/reference.js': 'script' } as const)[url];
  }

  async send(exchange: Exchange, page: Page): Promise<void> {
    if (page === 'script') {
      this.#script ??= loadScript();
      const headers = [
        'Content-Type',
        'text/javascript; charset=utf-8',
        'Content-Encoding',
        'br',
        'Cache-Control',
        'public, max-age=86400',
      ];
      return this.#responses.send(exchange, 200, await this.#script, headers, referenceHeaders);
    }
    const vary = ['Vary', 'Accept'];
    if (page === 'html')
      return this.#responses.send(exchange, 200, html, ['Content-Type', 'text/html; charset=utf-8', ...vary], referenceHeaders);
    // Imported on first use: the OpenAPI and YAML libraries take memory that most gateways never need.
    this.#rendered ??= import('./rendered-document.ts').then(({ renderDocument }) => renderDocument(this.#baseUrl));
    const { json, yaml } = await this.#rendered;
    if (page === 'json') return this.#responses.json(exchange, 200, json, vary);
    this.#responses.send(exchange, 200, yaml, ['Content-Type', 'application/yaml; charset=utf-8', ...vary]);
  }
}

async function loadScript(): Promise<Buffer> {
  const entry = createRequire(import.meta.url).resolve('@scalar/api-reference');
  const script = await readFile(path.join(entry.slice(0, entry.lastIndexOf(`${path.sep}dist${path.sep}`)), 'dist/browser/standalone.js'));
  return compress(script, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function preferredPage(accept: string): Page {
  if (accept.includes('text/html')) return 'html';
  return /\b(application|text)\/(x-)?yaml\b/.test(accept) ? 'yaml' : 'json';
}
