import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import type { Model, Models } from '../providers/models.ts';
import { testModel } from '../providers/test-model.ts';

/** The first model of each provider, or of the named one. */
function testedModels(models: Models, provider: string | undefined): Models {
  const first = new Map<string, Model>();
  for (const model of models) if (!first.has(model.provider)) first.set(model.provider, model);
  if (provider === undefined) return [...first.values()];
  const model = first.get(provider);
  if (model === undefined) throw new AppError('validation_failed', [{ path: 'provider', message: 'is not in MODEL_PROVIDERS' }]);
  return [model];
}

export const testModels = (models: Models) =>
  handle('models.TestModels', async ({ provider }, { signal }) => ({
    tests: await Promise.all(
      testedModels(models, provider).map(async (model) => ({
        provider: model.provider,
        model: model.id,
        ...(await testModel(model, signal)),
      })),
    ),
  }));
