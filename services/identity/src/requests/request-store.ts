import { type AnsweredRequest, type RequestBatch, requestCredentials, requestsListed, statusClasses } from '@webkiln/contract';
import { defineModel, type Filter, type Page, type Scope, type Session, type Stored, scoped, where, writeBatch } from '@webkiln/store';
import { chunkMs, chunksOf, type RequestChunk, type RequestState, requestsIn } from './request-chunk.ts';

/** Of 500 requests at most, some 50 KB each. */
const chunksAtOnce = 100;

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
    indexes: [
      [{ org_id: 1, kind: 1, status_class: 1, ...newestFirst }],
      [{ org_id: 1, credentials: 1, status_class: 1, ...newestFirst }],
      [{ org_id: 1, request_ids: 1, ...newestFirst }],
    ],
    indexesAcross: [[{ kept_until: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** Adds a batch to the log, in the transaction that it is handled in. */
export const logRequests = (batch: RequestBatch, session: Session): Promise<void> => writeBatch(ChunkModel, session, chunksOf(batch));

export interface WantedRequests {
  readonly request_id?: string | undefined;
  readonly credential_id?: string | undefined;
  readonly kind?: AnsweredRequest['kind'] | undefined;
  readonly status_class?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Newest first, and how many there are, both up to `requestsListed`. */
export async function requestPage(
  scope: Scope,
  wanted: WantedRequests,
  { limit, offset }: Page,
): Promise<{ requests: RequestState[]; total: number }> {
  // By id: a chunk that comes in meanwhile pushes one that was read into the next reading.
  const found = new Map<string, RequestState>();
  for (let read = 0, isMore = true; isMore && found.size < requestsListed; read += chunksAtOnce) {
    const reading = { sort: newestFirst, skip: read, limit: chunksAtOnce };
    const chunks = await scoped(ChunkModel, scope).find(filterOf(wanted), reading);
    for (const request of chunks.flatMap(requestsIn)) if (isWanted(request, wanted)) found.set(request.id, request);
    isMore = chunks.length === chunksAtOnce;
  }
  const listed = [...found.values()].sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, requestsListed);
  return { requests: listed.slice(offset, offset + limit), total: listed.length };
}

/** Which chunks may hold such. Each value of a field before the time is named: MongoDB then merges pieces of an index, and sorts nothing. */
function filterOf({ request_id, credential_id, kind, status_class, from, to }: WantedRequests): Filter<Stored<RequestChunk>> {
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

const isWanted = ({ request_id, credential_id, at }: RequestState, wanted: WantedRequests): boolean =>
  (wanted.request_id ?? request_id) === request_id &&
  (wanted.credential_id ?? credential_id) === credential_id &&
  (wanted.from === undefined || at >= wanted.from) &&
  (wanted.to === undefined || at < wanted.to);
