import * as z from 'zod';
import { CreatedAt, oneOf, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { wire } from '../../wire/wire.ts';

const maxAttachments = 4;
const maxMessageLength = 32_000;
/** A message with four images. */
const maxBytes = 10 * 1024 * 1024;

const Attachment = z
  .strictObject({
    media_type: z
      .enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif'], { error: 'must be image/png, image/jpeg, image/webp or image/gif' })
      .meta({ id: 'ImageType', description: 'The media type of the image' }),
    data: z.base64({ error: 'must be base64' }).min(4, 'must not be empty').describe('The bytes of the image, as base64'),
  })
  .meta({ id: 'ChatAttachment', description: 'An image for the model to look at; it does not become part of the site' })
  .register(wire, { message: 'ChatAttachment' });

export const turnStates = ['running', 'done', 'failed', 'stopped', 'interrupted'] as const;
export type TurnState = (typeof turnStates)[number];

const TurnState = oneOf(turnStates).meta({
  id: 'TurnState',
  description: 'The state of the turn. Only `done` has changed the draft; `stopped` by a person, `interrupted` by a fault of ours',
});

export const ChatMessage = z
  .object({
    turn_id: Uuid.describe('A message and its answer are one turn'),
    role: oneOf(['user', 'assistant']).meta({
      id: 'ChatRole',
      description: '`user`: what a person wrote; `assistant`: what the builder answered',
    }),
    text: z.string().describe('What was written, in Markdown'),
    state: TurnState,
    files: z.array(z.string()).describe('The files that the answer wrote or deleted'),
    revision_id: z.string().nullable().describe('The revision that the answer made; null if it changed no file'),
    created_at: CreatedAt,
  })
  .meta({ id: 'ChatMessage', description: 'One side of a turn of the builder' });
export type ChatMessage = z.infer<typeof ChatMessage>;

const common = { tag: 'Building', credential: 'person', embed: true } as const;

export const sendChatMessage = defineOperation({
  ...common,
  method: 'POST',
  path: '/projects/{projectId}/chat',
  summary: 'Build or change the site by a message; the answer is a stream',
  description:
    'The stream has the UI message stream format of the AI SDK. The site changes when the turn ends, as one revision. A turn goes on if the caller goes away: `GET …/chat/stream` continues its stream.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'embed.StartTurn',
  input: z.strictObject({
    message: text(maxMessageLength).describe('What to build or change, in any language; 1 to 32,000 characters'),
    model: text(200).nullish().describe('A model from GET /models; left out or null: the default of the organization'),
    attachments: z
      .array(Attachment)
      .max(maxAttachments, `must have at most ${maxAttachments} images`)
      .nullish()
      .describe('Images for the model to look at, at most 4; left out or null: none'),
    pictures: z
      .array(Uuid)
      .max(maxAttachments, `must have at most ${maxAttachments} pictures`)
      .nullish()
      .describe('Ids of pictures of the project that the message is about'),
  }),
  bodyBytes: maxBytes,
  output: 'stream',
  success: 200,
  errors: ['project_not_found', 'picture_not_found', 'turn_running', 'no_credit', 'daily_messages_reached'],
});

export const resumeChat = defineOperation({
  ...common,
  method: 'GET',
  path: '/projects/{projectId}/chat/stream',
  summary: 'Continue the stream of the running turn; 204 if none runs',
  description:
    'It begins with the part after `Last-Event-ID`, or with the first one. With the `Last-Event-ID` of the latest turn its rest follows also if the turn has ended meanwhile.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'embed.ResumeTurn',
  output: 'stream',
  success: 200,
  errors: ['project_not_found'],
});

export const stopChat = defineOperation({
  ...common,
  method: 'POST',
  path: '/projects/{projectId}/chat/stop',
  summary: 'Stop the running turn; the draft stays as it was',
  description: 'What the turn has written so far is dropped.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'embed.StopTurn',
  output: z.object({ stopped: z.boolean().describe('False if no turn was running') }),
  success: 200,
  errors: ['project_not_found'],
});

export const listChatMessages = defineOperation({
  ...common,
  method: 'GET',
  path: '/projects/{projectId}/chat/messages',
  summary: "List the latest messages of the project's chat, oldest first",
  description: 'Both sides of the latest 100 turns. While a turn runs its answer is in the stream alone.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'embed.ListChatMessages',
  output: z.object({
    messages: z.array(ChatMessage).describe('The messages, oldest first; empty if nobody has written'),
    total: Total,
    balance: z
      .int()
      .nullable()
      .describe('The credits that the organization has left for turns of models, for its members; null for clients and embed sessions'),
  }),
  success: 200,
  errors: ['project_not_found'],
});
