import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentMember } from '../authorize.ts';
import { assertMayManageKey, changeKey, type KeyFields, toKey } from './key.ts';
import { keyById, saveKeyFields } from './key-store.ts';

export const updateKey = handle('accounts.UpdateKey', async (request, caller) => {
  const member = await currentMember(caller);
  const wanted = maskedFields<KeyFields>(request);
  return saveWithRetry(caller, async () => {
    const current = await keyById(caller, request.key_id);
    // The wanted permissions too: nobody gives a key more than its own role has.
    assertMayManageKey(member, current);
    assertMayManageKey(member, { ...current, ...wanted });
    const change = changeKey(current, wanted, new Date());
    return { key: toKey(change === null ? current : await saveKeyFields(caller, current, change)) };
  });
});
