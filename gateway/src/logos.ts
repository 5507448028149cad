import type { IncomingMessage, ServerResponse } from 'node:http';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';
import type { AddressQuota } from './address-quota.ts';
import { helmetHeaders } from './answer.ts';

interface Logo {
  readonly content: Uint8Array;
  readonly content_type: string;
}

const timeoutMs = 5_000;
const mostBytes = 16 * 1024 * 1024;

/**
 * A customer's picture from our own origin: never read as anything else (nosniff), and a page of nothing where it is opened by itself.
 * Mail programs on the web show it too. Its name is its content, so that it may be kept for ever.
 */
const headers = [...helmetHeaders({ sandbox: [] }), 'Cache-Control', 'public, max-age=31536000, immutable'];

/** Organizations' logos by their SHA-256, as many in memory as 16 MB hold. */
export class Logos {
  readonly #countLookUp: AddressQuota;
  readonly #kept = new LRUCache<string, Logo>({ maxSize: mostBytes, sizeCalculation: ({ content }) => content.byteLength });

  /** What is in memory counts for nobody. */
  constructor(countLookUp: AddressQuota) {
    this.#countLookUp = countLookUp;
  }

  /** Throws `file_not_found` where nobody has this logo (any more). */
  async answer(sha256: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { content, content_type } = this.#kept.get(sha256) ?? (await this.#ask(sha256, request));
    response.writeHead(200, [...headers, 'Content-Type', content_type, 'Content-Length', String(content.byteLength)]);
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  async #ask(sha256: string, request: IncomingMessage): Promise<Logo> {
    await this.#countLookUp(request);
    const { content, content_type } = await call('identity.GetLogo', { sha256 }, callerFor(servicePrincipal('gateway', ''), { timeoutMs }));
    // A copy: what came stands in a message with others.
    const logo = { content: Buffer.from(content), content_type };
    this.#kept.set(sha256, logo);
    return logo;
  }
}
