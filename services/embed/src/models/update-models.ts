import { handle, maskedFields } from '@webkiln/rpc';
import type { Models } from '../providers/models.ts';
import { type OrgModelsState, toChatModels } from './org-models.ts';
import { changeOrgModels } from './org-models-store.ts';

export const updateModels = (models: Models) =>
  handle('models.UpdateModels', async (request, caller) =>
    toChatModels(models, await changeOrgModels(models, caller, maskedFields<OrgModelsState>(request)), { all: true }),
  );
