import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import type { SessionRole } from './roles.ts';

export type Permission = 'read' | 'write';

type Rows = readonly (readonly (string | number | null)[])[];

/** An answer as a table for spreadsheets, beside the JSON. */
export interface Csv {
  /** What browsers save it as. */
  readonly filename: string;
  /** The header of every row. */
  readonly columns: readonly string[];
  /** The rows of what the RPC replied: that may tell more than the JSON shows. */
  rows(reply: object, further: readonly string[]): Rows;
}

/** A table that goes on after one answer: it is sent whole to who names no page. */
export interface LongCsv extends Csv {
  /** The columns besides that the rows of an answer have. */
  further(reply: object): readonly string[];
  /** What asks for the rows after those of an answer; undefined after the last. */
  next(request: object, reply: object): object | undefined;
}

/** The column that holds what has no column of its own, where there would be too many. */
export const otherColumns = '…';

/**
 * One operation of the public API: route, documentation, validation and (later) agent tool at once.
 * `input` is the query of a GET or DELETE and the body of anything else; path parameters are ids (path-ids.ts), except a last `{path}`, which takes the rest.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below {base_url}, as OpenAPI writes it: `/projects/{projectId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  /**
   * Who of those who are signed in may: without it every member reads, and owners, admins and developers write; a client's user may nothing
   * where he is not named. `anyone` needs no organization.
   */
  readonly roles?: readonly SessionRole[] | 'anyone';
  /** `session`: for people who are signed in; an API key is refused. */
  readonly credential?: 'session';
  /** `area.Method` of the proto that does the work; its request has the same fields as `input` and the path. */
  readonly rpc: string;
  readonly input?: z.ZodObject;
  /** Bytes that a body may have where it is more than the usual 1 MB. */
  readonly bodyBytes?: number;
  /** The JSON answer, or `file`: the bytes themselves under their own content type. */
  readonly output: z.ZodObject | 'file';
  /** The answer to who accepts `text/csv` rather than JSON. */
  readonly csv?: Csv | LongCsv;
  readonly success: 200 | 201 | 202;
  /** False where the record in the answer is nothing that a caller changes. */
  readonly etag?: false;
  /** The errors of this operation; those of every operation (401, 415, 429, …) are in `commonErrors`. */
  readonly errors: readonly ErrorCode[];
}

export const defineEndpoint = <const E extends Endpoint>(endpoint: E): E => endpoint;

/** What any endpoint may answer, whatever it does. */
export const commonErrors = [
  'missing_credential',
  'invalid_key',
  'rate_limited',
  'invalid_session',
  'permission_missing',
  'role_missing',
  'browser_key',
  'foreign_page',
  'internal',
  'unavailable',
  'overloaded',
] as const;

/** What is added by the method: bodies bring their own ways to be wrong. */
export const methodErrors = {
  GET: [],
  DELETE: ['edited_meanwhile'],
  PATCH: ['validation_failed', 'malformed_json', 'body_too_large', 'content_type_unsupported', 'edited_meanwhile'],
  POST: [
    'validation_failed',
    'malformed_json',
    'body_too_large',
    'content_type_unsupported',
    'request_in_flight',
    'idempotency_key_reused',
  ],
} as const satisfies Record<Endpoint['method'], readonly ErrorCode[]>;
