import { version } from '@webkiln/runtime';
import express, { type Router } from 'express';
import { securityHeaders } from '../security-headers.ts';
import type { Docs } from './docs.ts';
import { encodedFor } from './encodings.ts';

const dayMs = 86_400_000;
/** RFC 9116 asks for less than a year: who finds a file of this age asks for it again. */
const securityTextDays = 180;

const headers = [
  ...securityHeaders(),
  ...['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'public, max-age=3600', 'Access-Control-Allow-Origin', '*'],
];

interface Parts {
  readonly origin: string;
  readonly docs: Docs;
  /** Where weaknesses are reported to, as a URI; without it there is no security.txt. */
  readonly securityContact: string | undefined;
}

/** The addresses at which programs look for what a platform offers. */
export function machinePages({ origin, docs, securityContact }: Parts): Router {
  const router = express.Router();
  router.get('/openapi.json', (_request, response) => response.redirect('/api/v1/openapi.json'));
  router.get('/llms.txt', async (request, response) => {
    const { body, headers: encoding } = encodedFor(request, await docs.llms());
    response.writeHead(200, [...headers, 'Vary', 'Accept-Encoding', 'Content-Length', String(body.byteLength), ...encoding]).end(body);
  });
  router.get('/server.json', (_request, response) => response.set('Access-Control-Allow-Origin', '*').json(registryEntry(origin)));
  router.get('/.well-known/security.txt', (_request, response, next) => {
    if (securityContact === undefined) return next();
    const expires = new Date(Math.floor(Date.now() / dayMs + securityTextDays) * dayMs).toISOString();
    const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, `Canonical: ${origin}/.well-known/security.txt`];
    response.writeHead(200, headers).end(`${lines.join('\n')}\n`);
  });
  return router;
}

/** What the owner of this platform's domain can publish in the registry of MCP servers, by its schema of 2025-12-11. */
const registryEntry = (origin: string) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: `${new URL(origin).hostname.split('.').toReversed().join('.')}/webkiln`,
  title: 'Webkiln',
  description: 'Websites of an agency: clients, projects, templates, publishing, visitor numbers',
  version: version(),
  websiteUrl: `${origin}/docs/agents`,
  icons: [{ src: `${origin}/docs/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
  remotes: [{ type: 'streamable-http', url: `${origin}/api/mcp` }],
});
