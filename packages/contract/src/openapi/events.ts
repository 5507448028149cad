import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { publicEvents, type WebhookEvent, webhookEvents } from '../events.ts';
import { eventExample } from '../examples/examples.ts';
import { Timestamp, Uuid } from '../fields/fields.ts';

const pascal = (name: string) => name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A part of an event's data; what is no record of the API is called after its event. */
const dataField = (type: WebhookEvent, name: string, schema: z.ZodObject) =>
  schema.meta()?.id === undefined
    ? schema.meta({ id: `${pascal(type)}${pascal(name)}`, description: schema.description ?? `The ${name} that the event is about` })
    : schema;

function eventSchema(type: WebhookEvent) {
  const { when, data } = publicEvents[type];
  const fields = Object.entries(data.shape).map(([name, schema]) => [name, dataField(type, name, schema as z.ZodObject)]);
  return z
    .object({
      id: Uuid.describe('The id of the event, as the `webhook-id` header has it: the same on every attempt. Handle each once'),
      type: z.literal(type).describe('Decide by this'),
      timestamp: Timestamp.describe('When it happened, ISO 8601 in UTC. Events may arrive in another order'),
      org_id: Uuid.describe('Your organization'),
      api_version: z.literal('v1').describe('`data` has the shape of the REST API in this version'),
      data: z
        .object(Object.fromEntries(fields))
        .meta({ id: `${pascal(type)}Data`, description: 'The records as they were when it happened' }),
      test: z.literal(true).optional().describe('True for a sample that a member sent to try the address; absent otherwise'),
    })
    .meta({ id: `${pascal(type)}Event`, description: `Sent when ${when}` });
}

const schemas = webhookEvents.map((type) => eventSchema(type)) as [
  ReturnType<typeof eventSchema>,
  ...(readonly ReturnType<typeof eventSchema>[]),
];

/** What a webhook is sent: `type` says which of these. */
export const WebhookEventBody = z
  .discriminatedUnion('type', schemas as never)
  .meta({ id: 'WebhookEvent', description: 'What a webhook is sent. A later release may add types: ignore those that you do not know' });

const deliveryHeaders = [
  ['webhook-id', 'The id of the event: the same on every attempt', 'evt_0199a3c4'],
  ['webhook-timestamp', 'When this attempt was made, in Unix seconds. Refuse what is older than five minutes', '1772443507'],
  [
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` by your secret; two of them, with a space between, for 24 hours after a rotation',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
].map(([name, description, example]) => ({
  in: 'header' as const,
  name,
  description,
  required: true,
  schema: { type: 'string' as const },
  example,
}));

/** The `webhooks` section: one operation of the receiver for each event. */
export const webhookOperations = Object.fromEntries(
  webhookEvents.map((type) => [
    type,
    {
      post: {
        operationId: `on${pascal(type)}`,
        tags: ['Webhooks'],
        summary: type,
        description: `Sent to each active webhook that subscribes to \`${type}\`, when ${publicEvents[type].when}. Check the signature before you believe the body.`,
        security: [],
        parameters: deliveryHeaders,
        requestBody: {
          description: 'The exact bytes of the body are what is signed',
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${pascal(type)}Event` }, example: eventExample(type) } },
        },
        responses: {
          '2XX': {
            description:
              'The event was received. Any other answer, and none within 15 seconds, counts as a failure: the event is sent again later',
          },
        },
      },
    },
  ]),
) as ZodOpenApiPathsObject;
