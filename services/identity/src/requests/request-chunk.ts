import { type AnsweredRequest, createProjection, LoggedRequest, type RequestBatch, type StateOf, withDates } from '@webkiln/contract';

const retentionMs = 7 * 24 * 3600_000;
/** All requests of a chunk were answered within this time. */
export const chunkMs = 60_000;

const computedFields = { credential: true, message: true } as const;
const DatedRequest = withDates(LoggedRequest);
/** The public record; `credential` and `message` are null until the caller sets them. */
export const toRequest = createProjection(DatedRequest, computedFields);

/** A logged request. */
export interface RequestState extends StateOf<typeof DatedRequest, typeof computedFields> {
  kind: AnsweredRequest['kind'];
  credential_id: string;
}

/**
 * Requests of one organization with the same credential kind and status class that a gateway answered within one minute
 * and reported in one batch. One record for all of them takes a tenth of the work and space of a record each.
 */
export interface RequestChunk {
  _id: string;
  kind: AnsweredRequest['kind'];
  /** Such as "4xx". */
  status_class: string;
  /** When the last request was answered; the others were answered within the minute before. */
  to: Date;
  /** One per request, in the order of `rows`. */
  request_ids: string[];
  /** The ids of the credentials, without duplicates. */
  credentials: string[];
  /** The requests' other fields: a JSON array of `Row`. */
  rows: string;
  /** A separate field, since MongoDB might use an index on `to` alone and scan all organizations. */
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
  /** Absent in chunks of earlier releases. */
  agent?: string | null,
  /** Absent in chunks of earlier releases. */
  network?: string | null,
];

const classOf = (status: number): string => `${Math.floor(status / 100)}xx`;

/** The records of a batch and their organizations. Redelivery of the batch yields the same ids. */
export function chunksOf({ id, requests }: Pick<RequestBatch, 'id' | 'requests'>): { org_id: string; record: RequestChunk }[] {
  const groups = Map.groupBy(
    requests,
    ({ org_id, kind, status, at }) => `${org_id} ${kind} ${classOf(status)} ${Math.floor(at / chunkMs)}`,
  );
  return [...groups.values()].map((group, index) => chunkOf(`${id}/${index}`, group));
}

function chunkOf(_id: string, requests: AnsweredRequest[]): { org_id: string; record: RequestChunk } {
  const [{ org_id, kind, status }] = requests as [AnsweredRequest];
  const to = Math.max(...requests.map(({ at }) => at));
  const positions = new Map<string, number>();
  const positionOf = (credential: string) => positions.get(credential) ?? positions.set(credential, positions.size).size - 1;
  const rows = requests.map(
    ({ credential, at, method, route = null, status, duration_ms, code = null, agent = null, network = null }): Row => [
      ...([positionOf(credential), at, method, route, status, duration_ms, code, agent, network] as const),
    ],
  );
  const record = {
    ...{ _id, kind, status_class: classOf(status), to: new Date(to) },
    request_ids: requests.map(({ request_id }) => request_id),
    ...{ credentials: [...positions.keys()], rows: JSON.stringify(rows), kept_until: new Date(to + retentionMs) },
  };
  return { org_id, record };
}

/** The requests of a chunk. */
export const requestsIn = ({ _id, kind, request_ids, credentials, rows }: RequestChunk): RequestState[] =>
  (JSON.parse(rows) as Row[]).map(([credential, at, method, route, status, duration_ms, code, agent = null, network = null], index) => ({
    ...{ _id: `${_id}/${index}`, request_id: request_ids[index] ?? '', at: new Date(at), kind },
    ...{ credential_id: credentials[credential] ?? '', method, route, status, duration_ms, code, agent, network },
  }));
