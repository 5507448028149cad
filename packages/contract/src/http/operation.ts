import * as z from 'zod';
import type { ErrorCode } from '../error-catalogue.ts';
import type { SessionRole } from './roles.ts';

/** What of the organization a key may manage, each with a permission of its own. */
export const keyAreas = ['keys', 'members', 'audit', 'usage', 'organization', 'embedding'] as const;
export type KeyArea = (typeof keyAreas)[number];

/** What a key may do: read and write records, and manage areas of the organization. */
export const permissions = ['read', 'write', ...keyAreas] as const;
export type Permission = (typeof permissions)[number];

type Rows = readonly (readonly (string | number | null)[])[];

/** The CSV form of a response. */
export interface Csv {
  /** The file name that browsers save it under. */
  readonly filename: string;
  /** The header of every row. */
  readonly columns: readonly string[];
  /** The rows of an RPC reply, which may hold fields that the JSON does not show. */
  rows(reply: object, extraColumns: readonly string[]): Rows;
}

/** CSV over several RPC replies: without `limit` and `offset` the caller gets all of them. */
export interface PagedCsv extends Csv {
  /** The columns that the rows of a reply have beside `columns`. */
  extraColumns(reply: object): readonly string[];
  /** The request for the rows after a reply; undefined after the last one. */
  next(request: object, reply: object): object | undefined;
}

/** `next` of replies with a cursor: records that are added meanwhile do not shift the pages. */
export const nextByCursor =
  <Reply extends { readonly next_cursor: string }>(countOf: (reply: Reply) => number) =>
  ({ offset, ...request }: { readonly offset: number }, reply: Reply): object | undefined =>
    reply.next_cursor === '' ? undefined : { ...request, offset: offset + countOf(reply), cursor: reply.next_cursor };

/** The column for values that have no column of their own, once there are too many columns. */
export const overflowColumn = '…';

/**
 * One operation of the public API: the source of its route, documentation and validation. `input` is the query of a GET
 * or DELETE and the body of other methods. Path parameters are ids (path-ids.ts), except a last `{path}`, which matches
 * the rest of the path.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below {base_url}, as OpenAPI writes it: `/projects/{projectId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: 'read' | 'write';
  /** The area of the organization that it manages: of an API key it needs this permission, in place of `permission`. */
  readonly area?: KeyArea;
  /**
   * The session roles that may call it. By default every member may read, and owners, admins and developers may write.
   * A client's user may only call operations that name `client`. `anyone` needs no organization.
   */
  readonly roles?: readonly SessionRole[] | 'anyone';
  /**
   * `session`: for signed-in people only. `person`: API keys are refused, and nobody else. `anyKey`: keys may call it
   * whatever their permissions.
   */
  readonly credential?: 'session' | 'person' | 'anyKey';
  /** True if a credential of one project may call it without naming that project: it hears of that project alone. */
  readonly narrows?: true;
  /** True if a client's session may call it only where the agency has switched its tools on for clients. */
  readonly isAgencyTool?: true;
  /** True if embed tokens may call it; they reach the projects of their user only. */
  readonly embed?: true;
  /** `area.Method` of the proto that does the work; its request has the same fields as `input` and the path. */
  readonly rpc: string;
  /** True if the reply shows a secret. Idempotency then stores it encrypted. */
  readonly showsSecret?: true;
  readonly input?: z.ZodObject;
  /** The body limit in bytes, if not the default of 1 MB. */
  readonly bodyBytes?: number;
  /** True if it waits for somebody else's server: its deadline is that of large bodies. */
  readonly isSlow?: true;
  /** True if the body may also be a zip of the files that `input` has in its field `files`. */
  readonly takesZip?: true;
  /** The JSON response, or `file`: the bytes under their own content type, or `stream`: the events of a turn. */
  readonly output: z.ZodObject | 'file' | 'stream';
  /** The content type of a file that always has the same. */
  readonly fileType?: 'application/zip';
  /** The response to `Accept: text/csv`. */
  readonly csv?: Csv | PagedCsv;
  readonly success: 200 | 201 | 202;
  /** False if the record has no ETag: its responses send none, and PUT, PATCH and DELETE take no If-Match. */
  readonly etag?: false;
  /** The errors of this operation; those of every operation (401, 415, 429, …) are in `commonErrors`. */
  readonly errors: readonly ErrorCode[];
}

/** True if a success sends the ETag of the record in its JSON. */
export const sendsEtag = ({ method, output, etag }: Operation): boolean =>
  typeof output !== 'string' &&
  method !== 'DELETE' &&
  etag !== false &&
  Object.values(output.shape).some((field) => field instanceof z.ZodObject);

/** True if a reply names the place of the next page: its callers can go on from there at any depth. */
export const hasCursor = ({ method, input }: Operation): boolean => method === 'GET' && 'cursor' in (input?.shape ?? {});

/** True if a request may say by If-Match which state of the record it changes. */
export const takesIfMatch = ({ method, etag }: Operation): boolean =>
  (method === 'PUT' || method === 'PATCH' || method === 'DELETE') && etag !== false;

export const defineOperation = <const E extends Operation>(operation: E): E => operation;

/** The errors that every operation may respond with. */
export const commonErrors = [
  'missing_credential',
  'invalid_key',
  'rate_limited',
  'too_many_in_flight',
  'too_many_unread',
  'invalid_session',
  'permission_missing',
  'key_restricted',
  'project_restricted',
  'role_missing',
  'invalid_embed_token',
  'embed_token_refused',
  'oauth_token_refused',
  'insufficient_scope',
  'agents_not_open',
  'agents_off',
  'tool_off',
  'organization_suspended',
  'second_factor_required',
  'address_not_allowed',
  'browser_key',
  'foreign_page',
  'internal',
  'unavailable',
  'overloaded',
] as const;

const bodyErrors = ['validation_failed', 'malformed_json', 'body_too_slow', 'body_too_large', 'content_type_unsupported'] as const;

/** The errors that a method adds. */
export const methodErrors = {
  GET: [],
  DELETE: [],
  PUT: bodyErrors,
  PATCH: bodyErrors,
  POST: [...bodyErrors, 'request_in_flight', 'idempotency_key_reused'],
} as const satisfies Record<Operation['method'], readonly ErrorCode[]>;
