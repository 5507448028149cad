import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';

const keptMs = 7 * 24 * 3600_000;
/** In which all requests of a chunk were answered. */
export const chunkMs = 60_000;

/** A request as it is read. */
export interface RequestState {
  id: string;
  request_id: string;
  at: Date;
  kind: AnsweredRequest['kind'];
  credential_id: string;
  method: string;
  route: string | null;
  status: number;
  duration_ms: number;
  code: string | null;
}

/**
 * Requests of one organization, alike in kind and class of status, that a gateway answered within one minute and told of together: one
 * record instead of one each, which is a tenth of the work and of the space.
 */
export interface RequestChunk {
  _id: string;
  kind: AnsweredRequest['kind'];
  /** "4xx". */
  status_class: string;
  /** When the last of them was answered: the others within the minute before. */
  to: Date;
  /** Of each, in the order of `rows`. */
  request_ids: string[];
  /** Whose they are, each once. */
  credentials: string[];
  /** What else is known of each: a JSON array of `Row`. */
  rows: string;
  /** A field of its own: an index of `to` alone would tempt MongoDB to look through everybody's. */
  kept_until: Date;
}

type Row = readonly [
  credential: number,
  at: number,
  method: string,
  route: string | null,
  status: number,
  duration_ms: number,
  code: string | null,
];

const classOf = (status: number): string => `${Math.floor(status / 100)}xx`;

/** The records of a batch, with whose they are: the same ones whenever it comes. */
export function chunksOf({ id, requests }: Pick<RequestBatch, 'id' | 'requests'>): { org_id: string; record: RequestChunk }[] {
  const alike = Map.groupBy(requests, ({ org_id, kind, status, at }) => `${org_id} ${kind} ${classOf(status)} ${Math.floor(at / chunkMs)}`);
  return [...alike.values()].map((together, index) => chunkOf(`${id}/${index}`, together));
}

function chunkOf(_id: string, requests: AnsweredRequest[]): { org_id: string; record: RequestChunk } {
  const [{ org_id, kind, status }] = requests as [AnsweredRequest];
  const to = Math.max(...requests.map(({ at }) => at));
  const places = new Map<string, number>();
  const placeOf = (credential: string) => places.get(credential) ?? places.set(credential, places.size).size - 1;
  const rows = requests.map(
    ({ credential, at, method, route = null, status, duration_ms, code = null }): Row => [
      ...([placeOf(credential), at, method, route, status, duration_ms, code] as const),
    ],
  );
  const record = {
    ...{ _id, kind, status_class: classOf(status), to: new Date(to) },
    request_ids: requests.map(({ request_id }) => request_id),
    ...{ credentials: [...places.keys()], rows: JSON.stringify(rows), kept_until: new Date(to + keptMs) },
  };
  return { org_id, record };
}

/** Each request of a chunk. */
export const requestsIn = ({ _id, kind, request_ids, credentials, rows }: RequestChunk): RequestState[] =>
  (JSON.parse(rows) as Row[]).map(([credential, at, method, route, status, duration_ms, code], index) => ({
    ...{ id: `${_id}/${index}`, request_id: request_ids[index] ?? '', at: new Date(at), kind },
    ...{ credential_id: credentials[credential] ?? '', method, route, status, duration_ms, code },
  }));
