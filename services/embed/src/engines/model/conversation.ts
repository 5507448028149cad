import type { ModelMessage } from 'ai';
import type { Model } from '../../providers/models.ts';
import type { TurnContext } from '../engine.ts';
import { TurnFailure } from '../failures.ts';

/** The media types of images that the providers take; no other type reaches a provider. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/** The share of a model's context that earlier messages may fill, in characters per token of the context. */
const historyCharactersPerToken = 1;

type Conversation = Pick<TurnContext, 'message' | 'attachments' | 'history'>;

/** The newest earlier messages that fit, oldest first, beginning with one of the person. */
function recent(history: Conversation['history'], maxCharacters: number): Conversation['history'] {
  let characters = 0;
  const from = history.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > maxCharacters;
  });
  const kept = history.slice(from + 1).filter(({ text }) => text.trim() !== '');
  return kept.slice(
    Math.max(
      0,
      kept.findIndex(({ role }) => role === 'user'),
    ),
  );
}

/** The messages that a turn begins with. Throws `TurnFailure` for attachments that the model does not take. */
export function conversation(model: Model, { message, attachments, history }: Conversation): ModelMessage[] {
  if (attachments.length > 0 && !model.takesImages)
    throw new TurnFailure(`${model.name} takes no images: send the message without them, or choose another model.`, 0);
  if (!attachments.every(({ mediaType }) => imageTypes.has(mediaType)))
    throw new TurnFailure('Only PNG, JPEG, WebP and GIF images can be sent to the model.', 0);
  const earlier = recent(history, model.contextTokens * historyCharactersPerToken);
  return [
    ...earlier.map(({ role, text }): ModelMessage => ({ role, content: text })),
    {
      role: 'user',
      content: [{ type: 'text', text: message }, ...attachments.map(({ mediaType, data }) => ({ type: 'file' as const, mediaType, data }))],
    },
  ];
}
