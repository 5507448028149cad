import type { Outbound } from '@webkiln/outbound';
import { logger } from '@webkiln/runtime';
import { documentAt, saveDocument } from '../store/client-store.ts';

const dayMs = 24 * 3_600_000;

interface Kind {
  readonly maxBytes: number;
  /** A stored document is used for so long without asking its server again. */
  readonly freshMs: number;
  /** While its server fails, an older one still serves, so that a connected client keeps working. */
  readonly staleMs: number;
}

/** Draft-ietf-oauth-client-id-metadata-document §6.6 recommends a limit of 5 KB. */
const metadataDocument: Kind = { maxBytes: 5 * 1024, freshMs: 3_600_000, staleMs: 30 * dayMs };
/** The keys at a client's `jwks_uri`: it may sign with a new one 5 minutes after publishing it. */
const keySet: Kind = { maxBytes: 16 * 1024, freshMs: 5 * 60_000, staleMs: dayMs };
const timeoutMs = 5000;

const headers = { accept: 'application/json', 'user-agent': 'Webkiln' };

interface Options {
  readonly outbound: Outbound;
  /** False if the network of the request had too many documents fetched. */
  readonly mayFetch: () => Promise<boolean>;
  /** True if these are the keys of the client that the request is of. */
  readonly isKeySet: (url: string) => boolean;
}

/**
 * The library's `fetch`: gets client-id metadata documents and keys of clients, from public addresses only. Documents
 * are stored, so that every replica has them and a connected client does not depend on its own server at each refresh.
 * Throws if the document can neither be fetched nor was fetched before.
 */
export const clientDocuments =
  ({ outbound, mayFetch, isKeySet }: Options) =>
  async (address: string | URL | Request): Promise<Response> => {
    const url = String(address instanceof Request ? address.url : address);
    const { maxBytes, freshMs, staleMs } = isKeySet(url) ? keySet : metadataDocument;
    const known = await documentAt(url);
    const ageMs = known === null ? Number.POSITIVE_INFINITY : Date.now() - known.fetched_at.getTime();
    if (known !== null && ageMs < freshMs) return documentResponse(known.body);
    const answer = (await mayFetch()) ? await outbound.get({ url, headers, timeoutMs, maxBytes }) : tooMany;
    if (answer.outcome === 'answered' && answer.status === 200) {
      await saveDocument(url, answer.body, new Date());
      return documentResponse(answer.body);
    }
    const reason = answer.outcome === 'answered' ? `its server answered ${answer.status}` : answer.reason;
    logger.info({ url, reason }, 'document of an OAuth client not fetched; an older copy serves if there is one');
    if (known !== null && ageMs < staleMs) return documentResponse(known.body);
    throw new Error(reason);
  };

const tooMany = { outcome: 'failed', reason: 'the network had too many documents fetched' } as const;

const documentResponse = (body: string) => new Response(body, { headers: { 'content-type': 'application/json' } });
