import * as z from 'zod';
import { entityTags, headerValue } from '../fields/patterns.ts';

type Example = string | number;

const header = (description: string, example: Example, required = true) => ({
  description,
  required,
  schema: { type: typeof example === 'number' ? ('integer' as const) : ('string' as const) },
  example,
});
const optional = (description: string, example: Example) => header(description, example, false);

/** Components that several responses refer to. A header that is not required comes only where its description says. */
export const headers = {
  'X-Request-Id': header(
    'Names the request in our logs: yours, if you sent one. Quote it when you ask for help',
    '0f4c1f6e-8c2b-4a1d-9d0e-2f7b6a5c4d3e',
  ),
  'RateLimit-Policy': header('The quota `q` and its window `w` in seconds (draft-ietf-httpapi-ratelimit-headers)', '"v1";q=100;w=60'),
  RateLimit: header('`r`: the requests that are left; `t`: the seconds until one is free again', '"v1";r=97;t=42'),
  'X-RateLimit-Limit': header('The quota: requests in a window, as `q` of RateLimit-Policy', 100),
  'X-RateLimit-Remaining': header('The requests that are left in the window, as `r` of RateLimit', 97),
  'X-RateLimit-Reset': header('Seconds until the oldest counted request leaves the window, as `t` of RateLimit', 42),
  'Retry-After': header('Whole seconds to wait before the request is repeated', 12),
  ETag: header(
    'Names this state of the record: send it as If-Match to change just this state, or as If-None-Match to get 304 while it lasts',
    '"r5"',
  ),
  'X-Total-Count': header('The same as `total` of the body: exact up to 1,000, see there', 128),
  'X-Parameter-Warnings': optional(
    'Query parameters that were ignored or clamped, and what each takes; at most 10, with commas between. Absent if all counted as sent',
    'limit: takes whole numbers from 1 to 100',
  ),
  Link: optional(
    'The other pages (RFC 8288): `first`, `prev`, `next` and `last`, as far as there are such pages. `next` works at any depth; absent on the last page',
    '<https://webkiln.example/api/v1/clients?limit=50&offset=50&cursor=WyJhIl0>; rel="next"',
  ),
  HelpLink: header(
    'Where the error is explained, with its cause and what to do (RFC 8288; `help` of HTML)',
    '<https://webkiln.example/docs/errors#client_not_found>; rel="help"',
  ),
  'Idempotent-Replayed': optional(
    '`true` if this is the stored answer of an earlier request with the same Idempotency-Key: nothing was done again',
    'true',
  ),
  'Preference-Applied': header('The preference of the request that was followed (RFC 7240)', 'return=minimal'),
  'Content-Disposition': optional('The file name to save a download or a CSV under (RFC 6266)', 'attachment; filename="orders.csv"'),
  'WWW-Authenticate': header(
    'Where an OAuth client finds the authorization server (RFC 9728)',
    'Bearer realm="webkiln", resource_metadata="https://webkiln.example/.well-known/oauth-protected-resource/api/v1"',
  ),
  'X-Accepted-Permissions': optional('The permission that the operation needs of an API key, such as `write` or `members`', 'write'),
  Deprecation: optional(
    'Since when this version of the API is deprecated, in Unix seconds (RFC 9745); absent while it is not',
    '@1767225600',
  ),
  Sunset: optional(
    'When this version of the API ends (RFC 8594), at least 12 months after its deprecation',
    'Thu, 31 Dec 2027 23:59:59 GMT',
  ),
};
export type HeaderName = keyof typeof headers;

/** References to these header components. */
export const refer = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers that requests of many operations may have, as parameter components. */
export const requestHeaders = {
  idempotencyKey: z
    .string()
    .optional()
    .meta({
      description:
        'A text of your choice, 1 to 255 printable characters, such as a UUID. A repeat with the same key and body within 24 hours gets the stored answer, and has no further effect',
      override: { minLength: 1, maxLength: 255, pattern: headerValue },
      param: { id: 'IdempotencyKey', in: 'header', name: 'Idempotency-Key', example: '5e2d8f0a-7b1c-4d3e-8f9a-0b1c2d3e4f5a' },
    }),
  ifMatch: z
    .string()
    .optional()
    .meta({
      description:
        'The ETag that you read, with its quotes. The change is refused with 412 if the record was changed since; without it the last change counts',
      override: { pattern: entityTags },
      param: { id: 'IfMatch', in: 'header', name: 'If-Match', example: '"r5"' },
    }),
  prefer: z
    .string()
    .optional()
    .meta({
      description: '`return=minimal` answers 204 without a body in place of 200',
      param: { id: 'Prefer', in: 'header', name: 'Prefer', example: 'return=minimal' },
    }),
};
