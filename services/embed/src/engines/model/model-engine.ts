import { logger } from '@webkiln/runtime';
import type { ModelMessage } from 'ai';
import type { Model, Models } from '../../providers/models.ts';
import type { Engine, TurnContext, TurnOutcome } from '../engine.ts';
import { TurnFailure } from '../failures.ts';
import { conversation } from './conversation.ts';
import { failureFacts, failureSentence } from './failure-sentence.ts';
import { fileTools } from './file-tools.ts';
import { findingsMessage } from './instructions.ts';
import { type ModelRun, runModel, ToolFault } from './model-run.ts';
import { Spending } from './spending.ts';
import { TurnSite } from './turn-site.ts';
import { turnStream } from './turn-stream.ts';
import { Watch } from './watch.ts';

/** How often the findings of a check go back to the model. */
const maxCorrections = 2;
const maxSummaryCharacters = 200;
/** Below this a model can not even read the tools. */
const minTokens = 2_000;

export interface ModelEngineSettings {
  readonly models: Models;
  readonly stallMs: number;
  readonly turnMs: number;
}

const refusals = {
  refused: 'The model declines to do this. Say it in other words, or choose another model.',
  malformed: 'The model called its tools wrongly twice. Try again, or choose another model.',
  'broken-off': 'The model broke off in the middle of its answer. Try again, or choose another model.',
} as const;

const notes = {
  'out-of-tokens': 'I stopped here: this turn has used what one turn may spend. What is done is kept; write to go on.',
  'out-of-steps': 'I stopped here: this turn has taken as many steps as one turn may. What is done is kept; write to go on.',
} as const;

function modelOf(models: Models, id: string | undefined): Model {
  const model = id === undefined ? models[0] : models.find((candidate) => candidate.id === id);
  if (model === undefined) throw new TurnFailure('This model is not offered any more: choose another one.', 0);
  return model;
}

/** The first line of what the model said at its end, else the files that changed. */
const summaryOf = (text: string, site: TurnSite): string => {
  const line = text.trim().split('\n')[0] ?? '';
  return (line === '' ? (site.summary ?? 'Nothing changed.') : line).slice(0, maxSummaryCharacters);
};

async function work(context: TurnContext, run: ModelRun, site: TurnSite): Promise<string> {
  let messages: ModelMessage[] = conversation(run.model, context);
  for (let corrections = 0; ; corrections++) {
    const result = await runModel(messages, run);
    if (result.ending in refusals) throw new TurnFailure(refusals[result.ending as keyof typeof refusals], run.spending.tokens);
    if (result.ending in notes) {
      say(context, notes[result.ending as keyof typeof notes]);
      return summaryOf('', site);
    }
    const hasChanged = site.written.size + site.deleted.size > 0;
    const findings = hasChanged ? site.newFindings() : [];
    if (findings.length === 0 || corrections === maxCorrections || run.spending.isUsedUp) return summaryOf(result.text, site);
    messages = [...result.messages, { role: 'user', content: findingsMessage(findings) }];
  }
}

function say({ emit, turnId }: TurnContext, text: string): void {
  const id = `note-${turnId}`;
  emit({ type: 'text-start', id });
  emit({ type: 'text-delta', id, delta: text });
  emit({ type: 'text-end', id });
}

/**
 * Works on turns with the models of the configuration. Beside `TurnFailure` it throws what `SiteWork` throws that is no
 * refusal.
 */
export const createModelEngine = ({ models, stallMs, turnMs }: ModelEngineSettings): Engine => ({
  async run(context: TurnContext): Promise<TurnOutcome> {
    const model = modelOf(models, context.model);
    if (context.maxTokens < minTokens) throw new TurnFailure('The credit left is too small for a turn of this model.', 0);
    const spending = new Spending(context.maxTokens);
    const site = new TurnSite(context);
    const watch = new Watch({ stallMs, totalMs: turnMs, stopped: context.signal });
    try {
      const run = { model, tools: fileTools(site), spending, watch, onPart: turnStream(context.emit) };
      const summary = await work(context, run, site);
      return { summary, tokens: spending.tokens };
    } catch (thrown) {
      if (thrown instanceof TurnFailure) throw thrown;
      if (thrown instanceof ToolFault) throw thrown.cause;
      const error = watch.signal.aborted ? watch.signal.reason : thrown;
      const { orgId, turnId } = context;
      logger.warn({ orgId, turnId, model: model.id, provider: model.provider, ...failureFacts(error) }, 'a turn of a model failed');
      throw new TurnFailure(failureSentence(error), spending.tokens, { cause: error });
    } finally {
      watch.end();
    }
  },
});
