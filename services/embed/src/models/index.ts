import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { APICallError, isStepCount, streamText, tool } from 'ai';
import * as z from 'zod';
import type { Model, Models } from '../providers/models.ts';
import { ProviderUnreachable } from '../providers/provider-fetch.ts';
import { streamedError } from '../providers/streamed-error.ts';
import { type OrgModelsState, toChatModels } from './org-models.ts';
import { changeOrgModels, orgModels } from './org-models-store.ts';

const getModels = (models: Models) =>
  handle('models.GetModels', async (_request, caller) => {
    const { org_id, role } = caller.principal;
    return toChatModels(models, await orgModels(caller, org_id), { all: role === 'owner' || role === 'admin' });
  });

const updateModels = (models: Models) =>
  handle('models.UpdateModels', async (request, caller) =>
    toChatModels(models, await changeOrgModels(models, caller, maskedFields<OrgModelsState>(request)), { all: true }),
  );

/** The first model of each provider, or of the named one. */
function testedModels(models: Models, provider: string | undefined): Models {
  const first = new Map<string, Model>();
  for (const model of models) if (!first.has(model.provider)) first.set(model.provider, model);
  if (provider === undefined) return [...first.values()];
  const model = first.get(provider);
  if (model === undefined) throw new AppError('validation_failed', [{ path: 'provider', message: 'is not in MODEL_PROVIDERS' }]);
  return [model];
}

const testModels = (models: Models) =>
  handle('models.TestModels', async ({ provider }, { signal }) => ({
    tests: await Promise.all(
      testedModels(models, provider).map(async (model) => ({
        provider: model.provider,
        model: model.id,
        ...(await testModel(model, signal)),
      })),
    ),
  }));

export const modelUseCases = (models: Models) => [getModels(models), updateModels(models), testModels(models)];

const maxMs = 30_000;

interface ModelTest {
  readonly passed: boolean;
  /** The features that work, or the fault and where to look. */
  readonly finding: string;
  readonly milliseconds: number;
}

function wrong(error: unknown, { id }: Model): string {
  if (error instanceof ProviderUnreachable) return `cannot be reached (${error.code}): check base_url`;
  const status = APICallError.isInstance(error) ? error.statusCode : 200;
  if (status === 200) return 'broke off in the middle of its answer';
  if (status === 401 || status === 403) return `refuses the key (${status}): check api_key`;
  if (status === 404) return `knows no model ${id} at its address (404): check the id and base_url`;
  if (status === 429 || status === 402) return `takes no more requests now (${status}): check its limits and the account's credit`;
  return status === undefined ? 'cannot be reached: check base_url' : `answers with status ${status}`;
}

async function attempt(model: Model, signal: AbortSignal): Promise<Omit<ModelTest, 'milliseconds'>> {
  let [hasCalled, pieces] = [false, 0];
  const tools = {
    report: tool({
      description: 'Takes the word that you were asked to report.',
      inputSchema: z.object({ word: z.string() }),
      execute: () => {
        hasCalled = true;
        return 'Thank you.';
      },
    }),
  };
  const prompt = 'Call the tool report with the word kiln. Then answer with one short sentence.';
  const options = { stopWhen: isStepCount(3), maxOutputTokens: 1_000, maxRetries: 0, abortSignal: signal, onError: () => {} };
  for await (const part of streamText({ model: await model.languageModel(), tools, prompt, ...options }).stream) {
    if (part.type === 'error') throw streamedError(part.error);
    if (part.type === 'text-delta') pieces++;
  }
  signal.throwIfAborted();
  if (!hasCalled) return { passed: false, finding: 'answers, but calls no tool: it cannot build sites' };
  return {
    passed: true,
    finding: pieces > 1 ? 'answers, streams and calls tools' : 'answers and calls tools, but does not stream its text',
  };
}

/** Asks a model to call a tool and to answer, within 30 s. Spends a few hundred tokens. */
async function testModel(model: Model, stopped: AbortSignal): Promise<ModelTest> {
  const began = performance.now();
  const timeOver = AbortSignal.timeout(maxMs);
  const result = await attempt(model, AbortSignal.any([timeOver, stopped])).catch((error: unknown) => ({
    passed: false,
    finding: timeOver.aborted ? `does not answer within ${maxMs / 1_000} s` : wrong(error, model),
  }));
  return { ...result, milliseconds: Math.round(performance.now() - began) };
}
