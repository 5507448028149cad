import { type AnsweredRequest, type RequestBatch, requestCredentials, requestsListed, statusClasses } from '@webkiln/contract';
import { defineModel, type Filter, type Page, type Scope, type Session, type Stored, scoped, where, writeBatch } from '@webkiln/store';

const keptMs = 7 * 24 * 3600_000;

/** A request as it is kept. */
export interface RequestState {
  _id: string;
  request_id: string;
  at: Date;
  kind: AnsweredRequest['kind'];
  credential_id: string;
  method: string;
  route: string | null;
  status: number;
  /** "4xx": equal for all that are asked for together, so that an index has them in order. */
  status_class: string;
  duration_ms: number;
  code: string | null;
  /** A field of its own: an index of `at` alone would tempt MongoDB to look through everybody's. */
  kept_until: Date;
}

const RequestModel = defineModel<RequestState>(
  'requests',
  {
    request_id: { type: String, required: true },
    at: { type: Date, required: true },
    kind: { type: String, required: true },
    credential_id: { type: String, required: true },
    method: { type: String, required: true },
    route: { type: String, default: null },
    status: { type: Number, required: true },
    status_class: { type: String, required: true },
    duration_ms: { type: Number, required: true },
    code: { type: String, default: null },
    kept_until: { type: Date, required: true },
  },
  {
    indexes: [
      [{ org_id: 1, request_id: 1, at: -1, _id: 1 }],
      [{ org_id: 1, credential_id: 1, status_class: 1, at: -1, _id: 1 }],
      [{ org_id: 1, kind: 1, status_class: 1, at: -1, _id: 1 }],
    ],
    indexesAcross: [[{ kept_until: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** Adds a batch to the log, in the transaction that it is handled in. */
export const logRequests = ({ id, requests }: RequestBatch, session: Session): Promise<void> =>
  writeBatch(
    RequestModel,
    session,
    requests.map(({ org_id, at, credential, route = null, code = null, ...request }, index) => ({
      org_id,
      record: {
        ...request,
        _id: `${id}/${index}`,
        at: new Date(at),
        kept_until: new Date(at + keptMs),
        credential_id: credential,
        route,
        code,
        status_class: `${Math.floor(request.status / 100)}xx`,
      },
    })),
  );

export interface WantedRequests {
  readonly request_id?: string | undefined;
  readonly credential_id?: string | undefined;
  readonly kind?: AnsweredRequest['kind'] | undefined;
  readonly status_class?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Newest first, and how many there are, up to `requestsListed`. */
export async function requestPage(
  scope: Scope,
  wanted: WantedRequests,
  { limit, offset }: Page,
): Promise<{ requests: RequestState[]; total: number }> {
  const filter = filterOf(wanted);
  const [requests, total] = await Promise.all([
    scoped(RequestModel, scope).find(filter, { sort: { at: -1, _id: 1 }, skip: offset, limit }),
    scoped(RequestModel, scope).count(filter, requestsListed),
  ]);
  return { requests, total };
}

/** Each value of a field before the time is named, wanted or not: MongoDB then merges pieces of an index, and sorts nothing. */
function filterOf({ request_id, credential_id, kind, status_class, from, to }: WantedRequests): Filter<Stored<RequestState>> {
  return {
    ...(request_id !== undefined && { request_id }),
    ...(credential_id !== undefined && { credential_id }),
    kind: kind ?? where({ $in: requestCredentials }),
    status_class: status_class ?? where({ $in: statusClasses }),
    ...((from !== undefined || to !== undefined) && {
      at: where({ ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lt: to }) }),
    }),
  };
}
