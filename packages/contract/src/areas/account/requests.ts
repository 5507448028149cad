import * as z from 'zod';
import { clamped, filter, idFilter, moment, oneOf, Page, Timestamp, Total } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

/** The maximum number of requests that a list counts and pages through; older ones are found with `before`. */
export const requestsListed = 1000;

export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;
export const requestCredentials = ['api_key', 'session', 'oauth_token', 'embed_token'] as const;

/** A request as the gateway that answered it reports it. */
export interface AnsweredRequest {
  readonly org_id: string;
  readonly request_id: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly kind: (typeof requestCredentials)[number];
  /** The id of the key, of the account, or of the token's authorization. */
  readonly credential: string;
  readonly method: string;
  /** Undefined where no operation has the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly duration_ms: number;
  readonly code: string | undefined;
  /** The name that an agent's program gave itself. */
  readonly agent?: string | undefined;
  /** The client's network: an IPv4 /24 or an IPv6 /64. */
  readonly network?: string | undefined;
}

/** The number of requests by one key or one account. */
export interface UsageCount {
  readonly org_id: string;
  readonly key_id: string | null;
  requests: number;
  client_errors: number;
  server_errors: number;
}

/**
 * The requests that a gateway answered in about a second, or their counts over about ten, all of one UTC day
 * ("2026-03-01").
 */
export interface RequestBatch {
  readonly id: string;
  readonly type: 'requests.answered';
  readonly day: string;
  readonly requests: readonly AnsweredRequest[];
  readonly usage: readonly UsageCount[];
}

const CredentialKind = oneOf(requestCredentials).meta({ id: 'CredentialKind', description: 'What a request proved itself with' });

export const RequestCredential = z
  .object({
    kind: CredentialKind,
    id: z.string().describe('Of the key, of the account that was signed in, or of the authorization of an agent'),
    name: z.string().nullable().describe("The key's name, the account's address, or what the agent calls itself"),
    prefix: z.string().nullable().describe("The key's first 8 characters"),
  })
  .meta({ id: 'RequestCredential', description: 'What the request proved itself with' });

export const LoggedRequest = z
  .object({
    id: z.string().describe('Names the line of the log'),
    request_id: z.string().describe('The X-Request-Id of its answer; one that callers choose may stand here several times'),
    at: Timestamp.describe('When it was answered'),
    credential: RequestCredential,
    method: z.string().describe('The HTTP method; of an agent POST'),
    route: z
      .string()
      .nullable()
      .describe('As in this document, such as `/projects/{projectId}`; of an agent `tools/call get_project`; null where there is none'),
    status: z.int().describe('499: the caller was gone before the answer'),
    duration_ms: z.number().describe('Milliseconds from its arrival to its answer'),
    code: z.string().nullable().describe('The `code` of the error, where it was one'),
    message: z.string().nullable().describe('What that code says in general; its answer may have said more'),
    agent: z.string().nullable().describe('The name that an agent gave itself, which proves nothing; null for other programs'),
    network: z.string().nullable().describe('The network that it came from: an IPv4 /24 or an IPv6 /64'),
  })
  .meta({ id: 'LoggedRequest', description: 'A request as it was answered; never its query, body or credential' });
export type LoggedRequest = z.infer<typeof LoggedRequest>;

const time = moment();

export const listRequests = defineOperation({
  method: 'GET',
  path: '/account/requests',
  tag: 'Organization',
  summary: 'List the requests of the last 7 days, newest first',
  description: `A request is listed a few seconds after it was answered. The log is best effort: under heavy load it may lack some, of requests that one credential makes beyond its limit it shows about one a second, and of more than 100 successful reads a second a part; usage counts all. \`total\` counts to ${requestsListed}. For owners, admins and developers.`,
  permission: 'read',
  area: 'usage',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'accounts.ListRequests',
  input: z.object({
    limit: Page.limit,
    offset: clamped('How many requests to skip', 0, 0, requestsListed),
    request_id: z.string().optional().describe('Only requests with this X-Request-Id'),
    key_id: idFilter().describe('Only requests of this API key'),
    credential: filter(...requestCredentials).describe(
      'Only requests with this kind of credential: `api_key`, `session`, `oauth_token` or `embed_token`',
    ),
    status: filter(...statusClasses).describe('Only answers of this class: `2xx`, `3xx`, `4xx` or `5xx`'),
    after: time.describe('Only requests that were answered from this moment on, ISO 8601'),
    before: time.describe('Only requests that were answered before this moment, ISO 8601'),
  }),
  output: z.object({
    requests: z.array(LoggedRequest).describe('The requests of this page, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});
