import { logger } from '@webkiln/runtime';
import {
  AISDKError,
  APICallError,
  isStepCount,
  type ModelMessage,
  pruneMessages,
  type StepResult,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import type { Model, Models } from '../../providers/models.ts';
import { providerError } from '../../providers/provider-error.ts';
import { type Engine, type TurnContext, TurnFailure, type TurnOutcome, WorkRefusal } from '../engine.ts';
import { CheckedSite, fileTools } from './file-tools.ts';
import { emitModelParts } from './model-parts.ts';
import { conversation, findingsMessage, instructions } from './prompt.ts';
import { repairToolCall } from './repair-tool-call.ts';
import { notChecked, type SiteChecks } from './site-checks.ts';
import { lengthOf, Spending, tokensOf } from './spending.ts';
import { failureFacts, failureSentence, isCallersFailure, refusal, Watch, WatchError } from './watch.ts';

/** How often the findings of a check go back to the model. */
const maxCorrections = 2;
const maxSummaryCharacters = 200;
/** Below this a model can not even read the tools. */
const minTokens = 2_000;

interface ModelEngineSettings {
  readonly models: Models;
  readonly checks: SiteChecks;
  readonly stallMs: number;
  readonly turnMs: number;
}

const refusals = {
  refused: refusal,
  malformed: 'The model called its tools wrongly twice. Try again, or choose another model.',
  'broken-off': 'The model broke off in the middle of its answer. Try again, or choose another model.',
} as const;

const notes = {
  'out-of-tokens': 'I stopped here: this turn has used what one turn may spend. What is done is kept; write to go on.',
  'out-of-steps': 'I stopped here: this turn has taken as many steps as one turn may. What is done is kept; write to go on.',
} as const;

/**
 * Works on turns with the models of the configuration. Beside `TurnFailure` it throws what `SiteWork` throws that is no
 * refusal.
 */
export const createModelEngine = ({ models, checks, stallMs, turnMs }: ModelEngineSettings): Engine => ({
  async run(context: TurnContext): Promise<TurnOutcome> {
    const model = modelOf(models, context.model);
    if (context.maxTokens < minTokens) throw new TurnFailure('The credit left is too small for a turn of this model.');
    const spending = new Spending(context.maxTokens);
    const site = new CheckedSite(context, checks);
    const watch = new Watch({ stallMs, totalMs: turnMs, stopped: context.signal });
    try {
      const run = { model, tools: fileTools(site), spending, watch, onPart: emitModelParts(context.emit) };
      const summary = await work(context, run, site);
      return { summary, tokens: spending.tokens };
    } catch (thrown) {
      if (thrown instanceof TurnFailure) throw thrown;
      if (thrown instanceof ToolFault) throw thrown.cause;
      const error = watch.signal.aborted ? watch.signal.reason : thrown;
      if (APICallError.isInstance(error)) spending.endStep({ inputTokens: 0, outputTokens: 0 });
      const { orgId, turnId } = context;
      logger.warn({ orgId, turnId, model: model.id, provider: model.provider, ...failureFacts(error) }, 'a turn of a model failed');
      throw new TurnFailure(failureSentence(error), { tokens: spending.tokens, isCharged: isCallersFailure(error), cause: error });
    } finally {
      watch.end();
    }
  },
});

function modelOf(models: Models, id: string | undefined): Model {
  const model = id === undefined ? models[0] : models.find((candidate) => candidate.id === id);
  if (model === undefined) throw new TurnFailure('This model is not offered any more: choose another one.');
  return model;
}

/** The first line of what the model said at its end, else the files that changed. */
const summaryOf = (text: string, site: CheckedSite): string => {
  const line = text.trim().split('\n')[0] ?? '';
  return (line === '' ? (site.summary ?? 'Nothing changed.') : line).slice(0, maxSummaryCharacters);
};

async function work(context: TurnContext, run: ModelRun, site: CheckedSite): Promise<string> {
  let messages: ModelMessage[] = await conversation(run.model, context);
  for (let corrections = 0; ; corrections++) {
    const result = await runModel(messages, run);
    if (result.ending in refusals) {
      const isCharged = result.ending !== 'broken-off';
      throw new TurnFailure(refusals[result.ending as keyof typeof refusals], { tokens: run.spending.tokens, isCharged });
    }
    if (result.ending in notes) {
      say(context, notes[result.ending as keyof typeof notes]);
      return summaryOf('', site);
    }
    const findings = await site.newFindings();
    if (findings === notChecked || findings.length === 0 || corrections === maxCorrections || run.spending.isUsedUp)
      return summaryOf(result.text, site);
    messages = [...result.messages, { role: 'user', content: findingsMessage(findings) }];
  }
}

function say({ emit, turnId }: TurnContext, text: string): void {
  const id = `note-${turnId}`;
  emit({ type: 'text-start', id });
  emit({ type: 'text-delta', id, delta: text });
  emit({ type: 'text-end', id });
}

const maxSteps = 60;
const maxToolCallsInStep = 50;
/** Beyond this share of the context, tool results of earlier steps are left out. */
const fullContext = 0.7;
const endlessCharactersPerToken = 12;

type Ending = 'done' | 'refused' | 'out-of-tokens' | 'out-of-steps' | 'malformed' | 'broken-off';

interface ModelRun {
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
  if (last === undefined || last.finishReason === 'error') return 'broken-off';
  // A model that calls no tool has stopped, whatever its server calls that.
  if (last.toolCalls.length === 0 && last.finishReason !== 'length') return 'done';
  return last.finishReason === 'length' || isUsedUp ? 'out-of-tokens' : 'out-of-steps';
}

/** Tool results are what grows: of a conversation that fills the context, only those of the last steps are kept. */
const fitting = (messages: ModelMessage[], { contextTokens }: Model): ModelMessage[] =>
  tokensOf(lengthOf(messages)) < contextTokens * fullContext ? messages : pruneMessages({ messages, toolCalls: 'before-last-4-messages' });

/**
 * Lets a model work with tools until it stops by itself or meets a bound. Returns how it ended and its messages. Throws
 * what the provider or the watch threw.
 */
async function runModel(messages: ModelMessage[], run: ModelRun): Promise<{ ending: Ending; messages: ModelMessage[]; text: string }> {
  const { model, tools, spending, watch, onPart } = run;
  let maxOutputTokens = model.maxOutputTokens;
  const result = streamText({
    model: await model.languageModel(),
    instructions,
    messages,
    tools,
    toolCallConcurrency: 1,
    repairToolCall,
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
    if (part.type === 'error') throw providerError(part.error);
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
class ToolFault extends Error {
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
