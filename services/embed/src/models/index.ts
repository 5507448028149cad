import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { capOfDay, takeFromCap } from '../credits/caps.ts';
import { payingTransaction } from '../credits/credit-account.ts';
import type { Model, Models } from '../providers/models.ts';
import { chosenModel, type OrgModelsState, toChatModels } from './org-models.ts';
import { changeOrgModels, orgModels } from './org-models-store.ts';

/** The first test loads the AI SDK. */
const testModel: typeof import('./test-model.ts').testModel = async (...test) => (await import('./test-model.ts')).testModel(...test);

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

const maxTestMs = 30_000;
/** What an answer needs to arrive before the caller's deadline. */
const marginMs = 1_000;

const testModels = (models: Models) =>
  handle('models.TestModels', async ({ provider }, { signal }) => ({
    tests: await Promise.all(
      testedModels(models, provider).map(async (model) => {
        const { findings, ...test } = await testModel(model, signal, maxTestMs);
        return { provider: model.provider, model: model.id, finding: findings.map(({ text }) => text).join('; '), ...test };
      }),
    ),
  }));

/** The operator pays for a test, so that an organization has few of them a day. */
const maxTestsDaily = 20;

const testOneModel = (models: Models) =>
  handle('models.TestModel', async ({ model: id }, caller) => {
    const { org_id } = caller.principal;
    const model = chosenModel(models, id);
    const taken = await payingTransaction(
      org_id,
      (tenant) => takeFromCap(tenant, capOfDay(`model tests ${org_id}`, maxTestsDaily), 1),
      caller,
    );
    if (model === undefined || taken === 0) throw new AppError('model_tests_reached');
    const maxMs = Math.min(maxTestMs, caller.deadlineAt - Date.now() - marginMs);
    return { model_test: { model: model.id, ...(await testModel(model, caller.signal, Math.max(1, maxMs))) } };
  });

export const modelUseCases = (models: Models) => [getModels(models), updateModels(models), testModels(models), testOneModel(models)];
