import { createReadStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream';
import express, { type Request, type Response, type Router } from 'express';
import * as z from 'zod';
import { securityHeaders } from '../security-headers.ts';

const home = '/docs';

/** What the build of the docs site writes about itself. */
const Manifest = z.object({
  pages: z.array(z.object({ address: z.string(), title: z.string(), description: z.string() })),
  /** The files by their address; `etag` without quotes. */
  files: z.record(z.string(), z.object({ file: z.string(), type: z.string(), etag: z.string(), hasBrotli: z.boolean() })),
  /** Sources for a Content-Security-Policy: the pages' inline scripts. */
  scriptHashes: z.array(z.string()),
});
type Manifest = z.infer<typeof Manifest>;
type File = Manifest['files'][string];

/** A page of the docs site, for the lists that programs read. */
export type DocsPage = Manifest['pages'][number];

/** Serves the docs site (`docs-site/`): its files, and the links that open other makers' agents. */
export class DocsSite {
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #pageHeaders: readonly string[];

  constructor(folder: string) {
    this.#folder = folder;
    this.#manifest = Manifest.parse(JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')));
    this.#pageHeaders = securityHeaders(
      {
        // The search is WebAssembly.
        'script-src': ["'self'", "'wasm-unsafe-eval'", ...this.#manifest.scriptHashes],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'worker-src': ["'self'"],
      },
      'same-origin',
    );
  }

  get pages(): readonly DocsPage[] {
    return this.#manifest.pages;
  }

  /** Its routes; `origin` is where agents find the MCP server. */
  routes(origin: string): Router {
    const router = express.Router();
    for (const [name, link] of Object.entries(installLinks(`${origin}/api/mcp`)))
      router.get(`${home}/install/${name}`, (_request, response) => response.redirect(link));
    router.get([home, `${home}.md`, `${home}/{*path}`], (request, response) => this.#send(request, response));
    return router;
  }

  #send(request: Request, response: Response): void {
    const { path: address } = request;
    const { files } = this.#manifest;
    const fileAt = (wanted: string) => (Object.hasOwn(files, wanted) ? files[wanted] : undefined);
    const found = fileAt(address);
    const withoutSlash = address.replace(/\/$/, '');
    const missing = files[`${home}/404`];
    if (found !== undefined) this.#sendFile(request, response, found, 200);
    else if (fileAt(withoutSlash) !== undefined) response.redirect(301, withoutSlash);
    else if (missing !== undefined) this.#sendFile(request, response, missing, 404);
    else response.writeHead(404).end();
  }

  #sendFile(request: Request, response: Response, { file, type, etag, hasBrotli }: File, status: number): void {
    const isRead = readByPrograms.test(type);
    const caching = hasHash.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = [
      // The search runs in a worker, to which the policy of its own script applies.
      ...(isRead ? dataHeaders : this.#pageHeaders),
      ...['Cache-Control', caching, 'Vary', 'Accept-Encoding', 'ETag', `"${etag}"`],
    ];
    if (status === 200 && request.headers['if-none-match']?.includes(etag)) return void response.writeHead(304, headers).end();
    const isBrotli = hasBrotli && request.acceptsEncodings('br') !== false;
    if (isBrotli) headers.push('Content-Encoding', 'br');
    response.writeHead(status, [...headers, 'Content-Type', type]);
    if (request.method === 'HEAD') return void response.end();
    pipeline(createReadStream(path.join(this.#folder, isBrotli ? `${file}.br` : file)), response, () => undefined);
  }
}

/** Markdown and examples, which pages of any origin may read. */
const readByPrograms = /^text\/(?:markdown|plain)/;
const dataHeaders: readonly string[] = [...securityHeaders(), 'Access-Control-Allow-Origin', '*'];

/** Files whose name changes with their content. */
const hasHash = /^(?:_astro|pagefind\/(?:fragment|index))\//;

/** The documented schemes by which agents take an MCP server from a link. */
const installLinks = (url: string) => ({
  cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=webkiln&config=${Buffer.from(JSON.stringify({ url })).toString('base64')}`,
  vscode: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'webkiln', type: 'http', url }))}`,
});
