import type { ModelFindingCode } from '@webkiln/contract';
import { APICallError, isStepCount, streamText, tool } from 'ai';
import * as z from 'zod';
import type { Model } from '../providers/models.ts';
import { providerError } from '../providers/provider-error.ts';
import { ProviderUnreachable } from '../providers/provider-fetch.ts';

export interface ModelTest {
  readonly passed: boolean;
  /** What works, or the fault and where to look; then what the server of the model wants. No text of the provider. */
  readonly findings: readonly ModelFinding[];
  readonly milliseconds: number;
}

interface ModelFinding {
  readonly code: ModelFindingCode;
  readonly text: string;
}

const quirkTexts = {
  'fewer-tokens': 'takes fewer output tokens than max_output_tokens says',
  'max-completion-tokens': 'wants max_completion_tokens in place of max_tokens',
  'no-stream-options': 'refuses stream_options: its tokens are estimated',
  'plain-schemas': 'takes simple schemas of tools only',
  'no-empty-tools': 'refuses tools without arguments',
  'no-null-content': 'refuses messages without text',
  'no-system-role': 'takes no instructions of their own: they stand before the message',
  'no-streaming': 'does not stream where tools are',
  'no-finish-reason': 'does not say why an answer ended',
  'no-stream': 'answers with JSON in place of a stream',
} as const satisfies Partial<Record<ModelFindingCode, string>>;

function fault(error: unknown, { id }: Model): ModelFinding {
  if (error instanceof ProviderUnreachable) return { code: 'unreachable', text: `cannot be reached (${error.code}): check base_url` };
  const status = APICallError.isInstance(error) ? error.statusCode : 200;
  if (status === undefined) return { code: 'unreachable', text: 'cannot be reached: check base_url' };
  if (status === 200) return { code: 'broken-off', text: 'broke off in the middle of its answer' };
  if (status === 401 || status === 403) return { code: 'key-refused', text: `refuses the key (${status}): check api_key` };
  if (status === 404) return { code: 'unknown-model', text: `knows no model ${id} at its address (404): check the id and base_url` };
  if (status === 429 || status === 402)
    return { code: 'used-up', text: `takes no more requests now (${status}): check its limits and the account's credit` };
  return { code: status < 500 ? 'request-refused' : 'provider-fault', text: `answers with status ${status}` };
}

/** Asks with all that a turn's request has: instructions, a tool without arguments, bounds, the largest output. */
async function attempt(model: Model, signal: AbortSignal): Promise<ModelFinding> {
  let [hasCalled, pieces] = [false, 0];
  const tools = {
    look: tool({ description: 'Shows what there is to report.', inputSchema: z.object({}), execute: () => 'The word kiln.' }),
    report: tool({
      description: 'Takes the word that you were asked to report.',
      inputSchema: z.object({ word: z.string().min(1).max(100) }),
      execute: () => {
        hasCalled = true;
        return 'Thank you.';
      },
    }),
  };
  const instructions = 'You use the tools that you are asked to use.';
  const prompt = 'Call the tool report with the word kiln. Then answer with one short sentence.';
  const { maxOutputTokens } = model;
  const options = { stopWhen: isStepCount(4), maxOutputTokens, maxRetries: 0, abortSignal: signal, onError: () => {} };
  const { stream } = streamText({ model: await model.languageModel(), instructions, tools, prompt, ...options });
  for await (const part of stream) {
    if (part.type === 'error') throw providerError(part.error);
    if (part.type === 'text-delta') pieces++;
  }
  signal.throwIfAborted();
  if (!hasCalled) return { code: 'no-tool-call', text: 'answers, but calls no tool: it cannot build sites' };
  return pieces > 1
    ? { code: 'works', text: 'answers, streams and calls tools' }
    : { code: 'not-streamed', text: 'answers and calls tools, but does not stream its text' };
}

/** Asks a model to call a tool and to answer, within `maxMs`. Spends a few hundred tokens. */
export async function testModel(model: Model, stopped: AbortSignal, maxMs: number): Promise<ModelTest> {
  const began = performance.now();
  const timeOver = AbortSignal.timeout(maxMs);
  const result = await attempt(model, AbortSignal.any([timeOver, stopped])).catch(
    (error: unknown): ModelFinding =>
      timeOver.aborted ? { code: 'silent', text: `does not answer within ${Math.round(maxMs / 1_000)} s` } : fault(error, model),
  );
  const wants = [...model.quirks.names].map((code) => ({ code, text: quirkTexts[code] }));
  return {
    passed: result.code === 'works' || result.code === 'not-streamed',
    findings: [result, ...wants],
    milliseconds: Math.round(performance.now() - began),
  };
}
