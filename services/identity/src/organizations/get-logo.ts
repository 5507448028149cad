import { AppError, pictureType } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { logoBySha256 } from './organization-store.ts';

export const getLogo = handle('identity.GetLogo', async ({ sha256 }, caller) => {
  assertInternal(caller);
  const content = await logoBySha256(sha256);
  const content_type = content && pictureType(content);
  if (content === undefined || content_type === undefined) throw new AppError('file_not_found');
  return { content, content_type };
});
