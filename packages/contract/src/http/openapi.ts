import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import { type Access, accessTo } from './access.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { answersOf, headers, sharedAnswers } from './openapi-answers.ts';
import { pathId } from './path-ids.ts';
import { sessionRoles } from './roles.ts';
import { sessionCookie } from './session-token.ts';

function operation(operationId: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const path = z.object(Object.fromEntries(names.map((name) => [name, name === 'path' ? z.string() : pathId(name).schema])));
  const requestHeaders: Record<string, z.ZodType> = {};
  if (endpoint.method === 'POST')
    requestHeaders['Idempotency-Key'] = z
      .string()
      .max(255)
      .optional()
      .describe('Makes a repeat within 24 h answer as the first request did');
  if (endpoint.method === 'PATCH' || endpoint.method === 'DELETE')
    requestHeaders['If-Match'] = z.string().optional().describe('The ETag you read: 412 if the record changed since');
  if (endpoint.method === 'DELETE') requestHeaders.Prefer = z.string().optional().describe('return=minimal answers 204');
  const isQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE';
  return {
    operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    'x-permission': endpoint.permission,
    'x-roles': rolesShown(accessTo(endpoint)),
    ...(endpoint.credential === 'session' && { security: [{ session: [] }] }),
    requestParams: {
      ...(names.length > 0 ? { path } : {}),
      ...(isQuery && endpoint.input !== undefined ? { query: endpoint.input } : {}),
      ...(Object.keys(requestHeaders).length > 0 ? { header: z.object(requestHeaders) } : {}),
    },
    ...(!isQuery && endpoint.input !== undefined
      ? {
          requestBody: {
            required: endpoint.method === 'PATCH' || !endpoint.input.safeParse({}).success,
            content: { 'application/json': { schema: endpoint.input } },
          },
        }
      : {}),
    responses: answersOf(endpoint),
  };
}

const rolesShown = ({ roles }: Access) => (roles === 'anyone' ? [...sessionRoles] : [...roles]);

/** The OpenAPI 3.1 document of the API, made of the schemas that validate it. `baseUrl` ends in /api/v1. */
export function openApiDocument(baseUrl: string) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    paths[endpoint.path] ??= {};
    Object.assign(paths[endpoint.path] as object, { [endpoint.method.toLowerCase()]: operation(name, endpoint) });
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
    security: [{ apiKey: [] }, { session: [] }],
    components: {
      headers,
      responses: sharedAnswers,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'wk_…' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: "From the platform's own pages alone" },
      },
    },
    paths,
  });
}
