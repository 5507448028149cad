import { type TextStreamPart, type ToolSet, toUIMessageChunk } from 'ai';
import type { TurnContext } from '../engine.ts';

const maxShownCharacters = 1_000;
/** Characters of a tool's arguments that are shown while they arrive: enough to see which file they are about. */
const maxEarlyCharacters = 200;

const shortened = (text: string): string => (text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text);

const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shown(part)]));
};

/** Parts that the turn itself sends, or that are nobody's but the provider's. */
const hidden = new Set(['start', 'finish', 'error', 'abort', 'raw', 'source', 'file', 'custom', 'reasoning-file']);

/**
 * Maps the parts of a model's stream to parts of the turn, as the AI SDK's protocol writes text and tools. Contents of
 * files are shortened: the stream says what happens, and the files themselves are in the preview.
 */
export function emitModelParts(emit: TurnContext['emit']): (part: TextStreamPart<ToolSet>) => void {
  let early = new Map<string, number>();
  return (part) => {
    if (part.type === 'start-step') early = new Map();
    if (part.type === 'tool-input-delta') {
      const sent = early.get(part.id) ?? 0;
      early.set(part.id, sent + part.delta.length);
      if (sent < maxEarlyCharacters)
        emit({ type: 'tool-input-delta', toolCallId: part.id, inputTextDelta: part.delta.slice(0, maxEarlyCharacters) });
      return;
    }
    if (hidden.has(part.type)) return;
    const chunk = toUIMessageChunk(part, { sendReasoning: false, sendSources: false });
    if (chunk === undefined) return;
    const { providerMetadata: _ours, ...rest } = chunk as typeof chunk & { providerMetadata?: unknown };
    emit(
      ('input' in rest
        ? { ...rest, input: shown(rest.input) }
        : 'output' in rest
          ? { ...rest, output: shown(rest.output) }
          : rest) as typeof chunk,
    );
  };
}
