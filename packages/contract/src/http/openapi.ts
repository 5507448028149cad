import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import { sessionCookie } from '../credentials/session-token.ts';
import { entityTags, headerValue } from '../fields/patterns.ts';
import { type Access, accessTo } from './access.ts';
import { answersOf, headers, sharedAnswers } from './openapi-responses.ts';
import { type Operation, takesIfMatch } from './operation.ts';
import { operations } from './operations.ts';
import { pathId } from './path-ids.ts';
import { sessionRoles } from './roles.ts';

function documentOperation(operationId: string, operation: Operation): ZodOpenApiOperationObject {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const path = z.object(Object.fromEntries(names.map((name) => [name, name === 'path' ? z.string() : pathId(name).schema])));
  const requestHeaders: Record<string, z.ZodType> = {};
  if (operation.method === 'POST')
    requestHeaders['Idempotency-Key'] = z
      .string()
      .optional()
      .describe('Makes a repeat within 24 h answer as the first request did')
      .meta({ override: { minLength: 1, maxLength: 255, pattern: headerValue } });
  if (takesIfMatch(operation))
    requestHeaders['If-Match'] = z
      .string()
      .optional()
      .describe('The ETag you read: 412 if the record changed since')
      .meta({ override: { pattern: entityTags } });
  if (operation.method === 'DELETE') requestHeaders.Prefer = z.string().optional().describe('return=minimal answers 204');
  const isQuery = operation.method === 'GET' || operation.method === 'DELETE';
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    'x-permission': operation.permission,
    'x-roles': rolesShown(accessTo(operation)),
    ...(operation.credential === 'session' && { security: [{ session: [] }] }),
    requestParams: {
      ...(names.length > 0 ? { path } : {}),
      ...(isQuery && operation.input !== undefined ? { query: operation.input } : {}),
      ...(Object.keys(requestHeaders).length > 0 ? { header: z.object(requestHeaders) } : {}),
    },
    ...(!isQuery && operation.input !== undefined
      ? {
          requestBody: {
            required: operation.method === 'PATCH' || !operation.input.safeParse({}).success,
            content: {
              'application/json': { schema: operation.input },
              ...(operation.takesZip && { 'application/zip': { schema: { type: 'string' as const, format: 'binary' } } }),
            },
          },
        }
      : {}),
    responses: answersOf(operation),
  };
}

const rolesShown = ({ roles }: Access) => (roles === 'anyone' ? [...sessionRoles] : [...roles]);

/** The OpenAPI 3.1 document of the API, made of the schemas that validate it. `baseUrl` ends in /api/v1. */
export function openApiDocument(baseUrl: string) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] as object, { [operation.method.toLowerCase()]: documentOperation(name, operation) });
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Webkiln agency API',
      version: '1.0.0',
      description: 'Manage clients, website projects, templates and plans of an agency. 100 requests per 60 seconds per credential.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }, { oauth: [] }, { session: [] }],
    components: {
      headers,
      responses: sharedAnswers,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'wk_…' },
        oauth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'wko_…',
          description:
            'An OAuth 2.1 access token; `/.well-known/oauth-protected-resource/api/v1` names its authorization server (RFC 9728)',
        },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: "From the platform's own pages alone" },
      },
    },
    paths,
  });
}
