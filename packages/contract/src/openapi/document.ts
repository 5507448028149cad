import * as z from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  createSchema,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
} from 'zod-openapi';
import { sessionCookie } from '../credentials/session-token.ts';
import { exampleOfRequest } from '../examples/examples.ts';
import { documentedFiles } from '../fields/built-files.ts';
import { type Access, accessTo } from '../http/access.ts';
import { type Operation, takesIfMatch } from '../http/operation.ts';
import { operations } from '../http/operations.ts';
import { filePathParameter, pathId } from '../http/path-ids.ts';
import { sessionRoles } from '../http/roles.ts';
import { ChatStreamPart, chatStream } from './chat-stream.ts';
import { ComponentNames } from './component-names.ts';
import { ErrorBody, errorExamples, sharedAnswers } from './errors.ts';
import { WebhookEventBody, webhookOperations } from './events.ts';
import { headers, requestHeaders } from './headers.ts';
import { introduction, tagGroups, tags } from './introduction.ts';
import { answersOf } from './responses.ts';

export { ids as exampleIds } from '../examples/story.ts';
export { withoutReferences } from './references.ts';

const zipBody = {
  schema: { type: 'string', format: 'binary', description: 'A zip of the files, with the bounds of JSON when unpacked' },
} as const;

function documentOperation(operationId: string, operation: Operation, names: ComponentNames): ZodOpenApiOperationObject {
  const { method, input } = operation;
  const parameters = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const path = z.object(Object.fromEntries(parameters.map((name) => [name, name === 'path' ? filePathParameter : pathId(name).schema])));
  const sent = [
    ...(method === 'POST' ? [requestHeaders.idempotencyKey] : []),
    ...(takesIfMatch(operation) ? [requestHeaders.ifMatch] : []),
    ...(method === 'DELETE' ? [requestHeaders.prefer] : []),
  ];
  const isQuery = method === 'GET' || method === 'DELETE';
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    'x-permission': accessTo(operation).permission ?? 'any',
    'x-roles': rolesShown(accessTo(operation)),
    security: securityOf(operation),
    requestParams: {
      ...(parameters.length > 0 ? { path } : {}),
      ...(isQuery && input !== undefined ? { query: input } : {}),
    },
    ...(sent.length > 0 && { parameters: sent }),
    ...(!isQuery && input !== undefined
      ? {
          requestBody: {
            required: method === 'PATCH' || !input.safeParse({}).success,
            content: {
              'application/json': { schema: names.request(operationId, operation), example: exampleOfRequest(operationId, operation) },
              ...(operation.takesZip && { 'application/zip': zipBody }),
            },
          },
        }
      : {}),
    responses: answersOf(operationId, operation, names),
  };
}

/** The credentials of which one is needed. */
function securityOf(operation: Operation): Record<string, string[]>[] {
  const { peopleOnly, refusesKeys, agentScope, embed, roles } = accessTo(operation);
  const takesKeys = !peopleOnly && !refusesKeys;
  return [
    ...(takesKeys ? [{ apiKey: [] }] : []),
    ...(!peopleOnly && agentScope !== undefined ? [{ oauth: [] }] : []),
    ...(embed ? [{ embedToken: [] }] : []),
    ...(roles === 'anyone' || roles.size > 0 ? [{ session: [] }] : []),
  ];
}

const rolesShown = ({ roles }: Access) => (roles === 'anyone' ? [...sessionRoles] : [...roles]);

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'wk_…',
    description: 'An API key of your organization, which a member makes in the dashboard. For servers alone',
  },
  oauth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'wko_…',
    description: 'An OAuth 2.1 access token; `/.well-known/oauth-protected-resource/api/v1` names its authorization server (RFC 9728)',
  },
  embedToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'embt_…',
    description: 'The token of an embed session, from `POST /api/embed/session`. It lasts 24 hours and reaches the projects of its user',
  },
  session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: "From the platform's own pages alone" },
} as const;

/** Answers get further fields in time, and need no patterns; only requests refuse what they do not know. */
const options: CreateDocumentOptions = {
  override({ jsonSchema, io }) {
    if (io === 'input') return;
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    delete jsonSchema.pattern;
  },
};

/** The OpenAPI 3.1 document of the API, made of the schemas that validate it. `baseUrl` ends in /api/v1. */
export function openApiDocument(baseUrl: string) {
  const names = new ComponentNames();
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] as object, { [operation.method.toLowerCase()]: documentOperation(name, operation, names) });
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Webkiln agency API',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This platform' }],
    security: [{ apiKey: [] }, { oauth: [] }, { session: [] }],
    tags,
    'x-tagGroups': tagGroups,
    components: {
      headers,
      responses: sharedAnswers,
      examples: errorExamples,
      securitySchemes,
      schemas: { ChatStream: chatStream, ...documentedFiles },
    },
    paths,
    webhooks: webhookOperations,
  };
  const { components, ...rest } = createDocument(document, options);
  // No answer of an operation names them, and in a request they would be documented as what is taken, not sent.
  const sent = [ErrorBody, WebhookEventBody, ChatStreamPart].map(
    (schema) => createSchema(schema, { io: 'output', opts: options }).components,
  );
  return { ...rest, components: { ...components, schemas: Object.assign({}, components?.schemas, ...sent) as Record<string, object> } };
}
