import type { IncomingHttpHeaders } from 'node:http';
import type { IncomingReply } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';
import type { McpMessage } from './mcp-message.ts';

/** Together with the age of the switches of agents in mcp: less than the two seconds that owners are promised. */
const keptMs = 900;
const maxEntries = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** Messages that everybody sends are small. Larger ones are not looked into: they may be nested too deeply. */
const maxMessageBytes = 1024;
const maxKeyLength = 2048;

/** Methods whose answers mcp may share. */
const sharedMethods: ReadonlySet<string> = new Set([
  ...['ping', 'server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
]);

interface SharedAnswer {
  readonly status: number;
  /** The text after the id. */
  readonly rest: Buffer;
  /** By `performance.now()`. */
  readonly until: number;
}

/** The answers that mcp gives to everybody in an organization alike. Each is repeated for a second. */
export class SharedAnswers {
  readonly #answers = new LRUCache<string, SharedAnswer>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ rest }, key) => rest.byteLength + key.length * 2,
  });

  /** The key that equal messages of an organization share; undefined for a message whose answer is not shared. */
  keyOf({ method, id, whole }: McpMessage, body: Buffer, headers: IncomingHttpHeaders, orgId: string | undefined): string | undefined {
    if (!sharedMethods.has(method) || body.byteLength > maxMessageBytes || id === null) return undefined;
    const { id: _id, ...content } = whole;
    const read = [orgId ?? '', headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name'], content];
    const key = JSON.stringify(read);
    return key.length > maxKeyLength ? undefined : key;
  }

  /** The answer to the message with this id, in two parts: the second one is too large to be copied each time. */
  find(key: string, id: McpMessage['id']): { readonly status: number; readonly start: string; readonly json: Buffer } | undefined {
    const found = this.#answers.get(key);
    if (found === undefined || found.until <= performance.now()) return undefined;
    return { status: found.status, start: `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`, json: found.rest };
  }

  /** `askedAt`: when mcp was asked, by `performance.now()`. */
  keep(key: string, { status, json, shared_from }: IncomingReply<'mcp.Answer'>, askedAt: number): void {
    if (shared_from === 0) return;
    // A copy: the reply is part of a larger message.
    this.#answers.set(key, { status, rest: Buffer.from(json.subarray(shared_from)), until: askedAt + keptMs });
  }
}
