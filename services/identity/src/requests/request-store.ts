import { type AnsweredRequest, type RequestBatch, requestCredentials, requestsListed, statusClasses } from '@webkiln/contract';
import { defineModel, type Filter, type Page, type Scope, type Session, type Stored, scoped, where, writeBatch } from '@webkiln/store';
import { chunkMs, chunksOf, type RequestChunk, type RequestState, requestsIn } from './request-chunk.ts';

/** A chunk holds at most 500 requests, about 50 KB. */
const chunksPerRead = 100;

const newestFirst = { to: -1, _id: 1 } as const;

const ChunkModel = defineModel<RequestChunk>(
  'request_chunks',
  {
    kind: { type: String, required: true },
    status_class: { type: String, required: true },
    to: { type: Date, required: true },
    request_ids: { type: [String], required: true },
    credentials: { type: [String], required: true },
    rows: { type: String, required: true },
    kept_until: { type: Date, required: true },
  },
  {
    exportedAs: null,
    indexes: [
      [{ org_id: 1, kind: 1, status_class: 1, ...newestFirst }],
      [{ org_id: 1, credentials: 1, status_class: 1, ...newestFirst }],
      [{ org_id: 1, request_ids: 1, ...newestFirst }],
    ],
    indexesAcross: [[{ kept_until: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** Adds a batch to the log, in the transaction that handles it. */
export const logRequests = (batch: RequestBatch, session: Session): Promise<void> => writeBatch(ChunkModel, session, chunksOf(batch));

export interface RequestFilter {
  readonly request_id?: string | undefined;
  readonly credential_id?: string | undefined;
  readonly kind?: AnsweredRequest['kind'] | undefined;
  readonly status_class?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** A page, newest first, and the total; both cover at most the newest `requestsListed` requests. */
export async function requestPage(
  scope: Scope,
  filter: RequestFilter,
  { limit, offset }: Page,
): Promise<{ requests: RequestState[]; total: number }> {
  // Keyed by id: a chunk added meanwhile shifts the pages, so that one may be read twice.
  const found = new Map<string, RequestState>();
  for (let read = 0, isMore = true; isMore && found.size < requestsListed; read += chunksPerRead) {
    const reading = { sort: newestFirst, skip: read, limit: chunksPerRead };
    const chunks = await scoped(ChunkModel, scope).find(chunkFilterOf(filter), reading);
    for (const request of chunks.flatMap(requestsIn)) if (matchesFilter(request, filter)) found.set(request._id, request);
    isMore = chunks.length === chunksPerRead;
  }
  const listed = [...found.values()].sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, requestsListed);
  return { requests: listed.slice(offset, offset + limit), total: listed.length };
}

/**
 * Selects chunks that may contain matches. With every value of the leading index fields named, MongoDB merges index
 * ranges without a sort.
 */
function chunkFilterOf({ request_id, credential_id, kind, status_class, from, to }: RequestFilter): Filter<Stored<RequestChunk>> {
  return {
    ...(request_id !== undefined && { request_ids: request_id }),
    ...(credential_id !== undefined && { credentials: credential_id }),
    kind: kind ?? where({ $in: requestCredentials }),
    status_class: status_class ?? where({ $in: statusClasses }),
    ...((from !== undefined || to !== undefined) && {
      to: where({ ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lt: new Date(to.getTime() + chunkMs) }) }),
    }),
  };
}

const matchesFilter = ({ request_id, credential_id, at }: RequestState, filter: RequestFilter): boolean =>
  (filter.request_id ?? request_id) === request_id &&
  (filter.credential_id ?? credential_id) === credential_id &&
  (filter.from === undefined || at >= filter.from) &&
  (filter.to === undefined || at < filter.to);
