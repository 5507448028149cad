import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { exampleOfResponse } from '../examples/examples.ts';
import { type Operation, sendsEtag } from '../http/operation.ts';
import { chatStreamExample } from './chat-stream.ts';
import type { ComponentNames } from './component-names.ts';
import { errorAnswersOf, everyAnswer } from './errors.ts';
import { type HeaderName, refer } from './headers.ts';

const binary = { type: 'string', format: 'binary' } as const;
/** A file comes under its own type: whatever it is, it is bytes. */
const file = { 'application/octet-stream': { schema: binary }, '*/*': { schema: binary } };
const stream = { 'text/event-stream': { schema: { $ref: '#/components/schemas/ChatStream' }, example: chatStreamExample } };

function contentOf(operationId: string, operation: Operation, names: ComponentNames) {
  const { output, fileType, csv } = operation;
  if (output === 'stream') return stream;
  if (output === 'file') return fileType === undefined ? file : { [fileType]: { schema: binary } };
  return {
    'application/json': { schema: names.response(operationId, operation), example: exampleOfResponse(operationId, operation) },
    ...(csv !== undefined && {
      'text/csv': {
        schema: { type: 'string' as const, description: `A header, then a row for each record: ${csv.columns.join(', ')}` },
        example: `${csv.columns.join(',')}\r\n`,
      },
    }),
  };
}

/** All documented responses of an operation. */
export function answersOf(operationId: string, operation: Operation, names: ComponentNames): ZodOpenApiResponsesObject {
  const { method, output, csv, success } = operation;
  const isList = typeof output !== 'string' && 'total' in output.shape;
  const own: readonly HeaderName[] = [
    ...everyAnswer,
    ...(method === 'GET' || method === 'DELETE' ? (['X-Parameter-Warnings'] as const) : (['Idempotent-Replayed'] as const)),
    ...(isList ? (['X-Total-Count', 'Link'] as const) : []),
    ...(sendsEtag(operation) || output === 'file' ? (['ETag'] as const) : []),
    ...(csv !== undefined || output === 'file' ? (['Content-Disposition'] as const) : []),
  ];
  const answers: Record<string, unknown> = {
    [success]: { description: operation.summary, headers: refer(...own), content: contentOf(operationId, operation, names) },
  };
  if (method === 'DELETE')
    answers['204'] = {
      description: 'Deleted, when `Prefer: return=minimal` was sent',
      headers: refer(...everyAnswer, 'Preference-Applied'),
    };
  return { ...answers, ...errorAnswersOf(operation) } as ZodOpenApiResponsesObject;
}
