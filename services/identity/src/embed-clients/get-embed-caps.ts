import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { embedClientAnywhere } from './embed-client-store.ts';

export const getEmbedCaps = handle('identity.GetEmbedCaps', async ({ embed_client_id }, caller) => {
  assertInternal(caller);
  const client = await embedClientAnywhere(embed_client_id);
  return { session_credits: client?.session_credits ?? undefined, daily_credits: client?.daily_credits ?? undefined };
});
