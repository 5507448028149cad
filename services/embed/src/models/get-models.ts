import { handle } from '@webkiln/rpc';
import type { Models } from '../providers/models.ts';
import { toChatModels } from './org-models.ts';
import { orgModels } from './org-models-store.ts';

export const getModels = (models: Models) =>
  handle('models.GetModels', async (_request, caller) => {
    const { org_id, role } = caller.principal;
    return toChatModels(models, await orgModels(caller, org_id), { all: role === 'owner' || role === 'admin' });
  });
