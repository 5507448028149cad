import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';
import type { AddressQuota } from '../admission/quotas.ts';
import { securityHeaders } from '../security-headers.ts';
import type { Brand } from './page.ts';

interface Logo {
  readonly content: Uint8Array;
  readonly content_type: string;
}

const logoTimeoutMs = 5_000;
const maxLogosBytes = 16 * 1024 * 1024;

/**
 * Customers' images are served from our origin: `nosniff` and a sandboxed policy keep browsers from running them as a
 * page.
 * Webmail may embed them (cross-origin). The URL holds the content's hash, so caches may keep them for ever.
 */
const logoHeaders = [...securityHeaders({ sandbox: [] }), 'Cache-Control', 'public, max-age=31536000, immutable'];

/** Serves organizations' logos by their SHA-256, through an in-memory cache of 16 MB. */
export class Logos {
  readonly #countLookup: AddressQuota;
  readonly #cache = new LRUCache<string, Logo>({ maxSize: maxLogosBytes, sizeCalculation: ({ content }) => content.byteLength });

  /** `countLookup` limits lookups in identity; cached logos are not limited. */
  constructor(countLookup: AddressQuota) {
    this.#countLookup = countLookup;
  }

  /** Throws `file_not_found` if no organization has this logo now. */
  async handle(sha256: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { content, content_type } = this.#cache.get(sha256) ?? (await this.#fetch(sha256, request));
    response.writeHead(200, [...logoHeaders, 'Content-Type', content_type, 'Content-Length', String(content.byteLength)]);
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  /** A brand's logo as a file of a page that is printed; none if it has no logo. */
  async fileOf({ logo_url }: Brand, request: IncomingMessage) {
    const sha256 = /[0-9a-f]{64}$/.exec(logo_url ?? '')?.[0];
    if (!logo_url || sha256 === undefined) return [];
    return [{ path: logo_url, ...(this.#cache.get(sha256) ?? (await this.#fetch(sha256, request))) }];
  }

  async #fetch(sha256: string, request: IncomingMessage): Promise<Logo> {
    await this.#countLookup(request);
    const { content, content_type } = await call('identity.GetLogo', { sha256 }, serviceCaller('gateway', '', logoTimeoutMs));
    // Copied: the reply's bytes are a view into a larger message, which the cache would keep alive.
    const logo = { content: Buffer.from(content), content_type };
    this.#cache.set(sha256, logo);
    return logo;
  }
}
