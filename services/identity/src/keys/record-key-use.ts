import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { assertInternal } from '../authorize.ts';
import { recordUses } from './key-store.ts';

const Uses = z.object({
  uses: z.array(z.object({ key_id: z.string(), org_id: z.string(), last_used_at: z.iso.datetime().transform((time) => new Date(time)) })),
});

export const recordKeyUse = handle('identity.RecordKeyUse', async (request, caller) => {
  assertInternal(caller);
  const { uses } = validate(Uses, request);
  await recordUses(uses.map(({ key_id, org_id, last_used_at }) => ({ _id: key_id, org_id, last_used_at })));
  return {};
});
