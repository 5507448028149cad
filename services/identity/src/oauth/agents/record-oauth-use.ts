import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { assertInternal } from '../../authorize.ts';
import { recordConnectionUses } from '../store/connection-store.ts';
import { liveGrantsBy } from '../store/grant-store.ts';

const Uses = z.object({
  uses: z.array(z.object({ grant_id: z.string(), last_used_at: z.iso.datetime().transform((time) => new Date(time)) })),
});

export const recordOauthUse = handle('identity.RecordOauthUse', async (request, caller) => {
  assertInternal(caller);
  const { uses } = validate(Uses, request);
  const grants = await liveGrantsBy(uses.map(({ grant_id }) => grant_id));
  await recordConnectionUses(
    uses.flatMap(({ grant_id, last_used_at }) => {
      const connection_id = grants.get(grant_id)?.connection_id;
      return connection_id === undefined ? [] : [{ _id: connection_id, last_used_at }];
    }),
  );
  return {};
});
