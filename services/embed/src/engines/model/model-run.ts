import {
  AISDKError,
  isStepCount,
  type ModelMessage,
  pruneMessages,
  type StepResult,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import type { Model } from '../../providers/models.ts';
import { WorkRefusal } from '../failures.ts';
import { instructions } from './instructions.ts';
import { lengthOf, type Spending, tokensOf } from './spending.ts';
import { type Watch, WatchError } from './watch.ts';

const maxSteps = 60;
const maxToolCallsInStep = 50;
/** Beyond this share of the context, tool results of earlier steps are left out. */
const fullContext = 0.7;
const endlessCharactersPerToken = 12;

type Ending = 'done' | 'refused' | 'out-of-tokens' | 'out-of-steps' | 'malformed' | 'broken-off';

export interface ModelRun {
  readonly model: Model;
  readonly tools: ToolSet;
  readonly spending: Spending;
  readonly watch: Watch;
  readonly onPart: (part: TextStreamPart<ToolSet>) => void;
}

const isInvalid = ({ toolCalls }: StepResult<ToolSet>) => toolCalls.some((call) => 'invalid' in call && call.invalid === true);
/** The model has one chance to correct a call of a tool that could not be read. */
const isMalformedAgain = (steps: readonly StepResult<ToolSet>[]) => steps.slice(-2).filter(isInvalid).length === 2;

function endingOf(steps: readonly StepResult<ToolSet>[], { isUsedUp }: Spending): Ending {
  const last = steps.at(-1);
  if (last?.finishReason === 'content-filter') return 'refused';
  if (isMalformedAgain(steps)) return 'malformed';
  if (last?.finishReason === 'stop') return 'done';
  if (last?.finishReason === 'length' || isUsedUp) return 'out-of-tokens';
  return last?.finishReason === 'tool-calls' ? 'out-of-steps' : 'broken-off';
}

/** Tool results are what grows: of a conversation that fills the context, only those of the last steps are kept. */
const fitting = (messages: ModelMessage[], { contextTokens }: Model): ModelMessage[] =>
  tokensOf(lengthOf(messages)) < contextTokens * fullContext ? messages : pruneMessages({ messages, toolCalls: 'before-last-4-messages' });

/**
 * Lets a model work with tools until it stops by itself or meets a bound. Returns how it ended and its messages. Throws
 * what the provider or the watch threw.
 */
export async function runModel(
  messages: ModelMessage[],
  run: ModelRun,
): Promise<{ ending: Ending; messages: ModelMessage[]; text: string }> {
  const { model, tools, spending, watch, onPart } = run;
  let maxOutputTokens = model.maxOutputTokens;
  const result = streamText({
    model: model.languageModel,
    instructions,
    messages,
    tools,
    toolCallConcurrency: 1,
    maxRetries: 0,
    abortSignal: watch.signal,
    stopWhen: [isStepCount(maxSteps), ({ steps }) => isMalformedAgain(steps) || spending.isUsedUp],
    prepareStep: ({ messages: soFar }) => {
      const kept = fitting(soFar, model);
      const characters = lengthOf(kept) + instructions.length + lengthOf(Object.keys(tools)) * 20;
      spending.startStep(characters);
      maxOutputTokens = Math.max(1, Math.min(model.maxOutputTokens, spending.left(characters)));
      return { messages: kept, maxOutputTokens };
    },
    onError: () => {},
  });
  let calls = 0;
  for await (const part of result.stream) {
    watch.signal.throwIfAborted();
    watch.heard();
    if (part.type === 'error') throw part.error;
    if (part.type === 'tool-error' && isFault(part.error)) throw new ToolFault(part.error);
    if (part.type === 'start-step') calls = 0;
    if (part.type === 'finish-step') spending.endStep(part.usage);
    const isEndless = spending.addOutput(writtenIn(part)) > maxOutputTokens * endlessCharactersPerToken;
    if (isEndless || (part.type === 'tool-input-start' && ++calls > maxToolCallsInStep)) watch.end(new WatchError('endless'));
    watch.signal.throwIfAborted();
    onPart(part);
  }
  watch.signal.throwIfAborted();
  const steps = await result.steps;
  return { ending: endingOf(steps, spending), messages: [...messages, ...(await result.responseMessages)], text: await result.text };
}

/** A tool failed in a way that is none of the model's business. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault';

  constructor(cause: unknown) {
    super('a tool of a model failed', { cause });
  }
}

const isFault = (error: unknown) => error instanceof Error && !(error instanceof WorkRefusal) && !AISDKError.isInstance(error);

function writtenIn(part: TextStreamPart<ToolSet>): number {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text.length;
  return part.type === 'tool-input-delta' ? part.delta.length : 0;
}
