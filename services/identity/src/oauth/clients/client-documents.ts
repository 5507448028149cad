import type { Outbound } from '@webkiln/outbound';
import { logger } from '@webkiln/runtime';
import { documentAt, saveDocument } from '../store/document-store.ts';

/** Draft-ietf-oauth-client-id-metadata-document §6.6 recommends a limit of 5 KB. */
const maxBytes = 5 * 1024;
const timeoutMs = 5000;
/** A stored document is used for so long without asking its server again. */
const freshMs = 3_600_000;
/** While its server fails, an older one still serves, so that a connected client keeps working. */
const staleMs = 30 * 24 * 3_600_000;

const headers = { accept: 'application/json', 'user-agent': 'Webkiln' };

/**
 * The library's `fetch`: gets client-id metadata documents, from public addresses only, and only if `mayFetch`.
 * Documents are stored, so that every replica has them and a connected client does not depend on its own server at each
 * refresh. Throws if the document can neither be fetched nor was fetched before.
 */
export const clientDocuments =
  (outbound: Outbound, mayFetch: () => Promise<boolean>) =>
  async (address: string | URL | Request): Promise<Response> => {
    const url = String(address instanceof Request ? address.url : address);
    const known = await documentAt(url);
    const ageMs = known === null ? Number.POSITIVE_INFINITY : Date.now() - known.fetched_at.getTime();
    if (known !== null && ageMs < freshMs) return documentResponse(known.body);
    const answer = (await mayFetch()) ? await outbound.get({ url, headers, timeoutMs, maxBytes }) : tooMany;
    if (answer.outcome === 'answered' && answer.status === 200) {
      await saveDocument(url, answer.body, new Date());
      return documentResponse(answer.body);
    }
    const reason = answer.outcome === 'answered' ? `its server answered ${answer.status}` : answer.reason;
    logger.info({ url, reason }, 'client metadata document not fetched; an older copy serves if there is one');
    if (known !== null && ageMs < staleMs) return documentResponse(known.body);
    throw new Error(reason);
  };

const tooMany = { outcome: 'failed', reason: 'the network had too many documents fetched' } as const;

const documentResponse = (body: string) => new Response(body, { headers: { 'content-type': 'application/json' } });
