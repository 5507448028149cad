import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { embedClientAnywhere } from './embed-client-store.ts';

export const getEmbedOrigins = handle('identity.GetEmbedOrigins', async ({ embed_client_id }, caller) => {
  assertInternal(caller);
  return { origins: (await embedClientAnywhere(embed_client_id))?.allowed_origins ?? [] };
});
