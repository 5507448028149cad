import type { Models } from '../providers/models.ts';
import { getModels } from './get-models.ts';
import { testModels } from './test-models.ts';
import { updateModels } from './update-models.ts';

export const modelUseCases = (models: Models) => [getModels(models), updateModels(models), testModels(models)];
