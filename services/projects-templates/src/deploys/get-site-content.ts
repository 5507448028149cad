import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { readBySha256 } from '../files/chunk-store.ts';
import { encodings } from '../files/encode.ts';
import { readEncoded } from '../files/encoded-store.ts';

/** Returns one file's content, plain or precompressed. For `sites`. */
export const getSiteContent = handle('sites.GetSiteContent', async ({ org_id, sha256, encoding }, caller) => {
  assertInternal(caller);
  if (encoding === '') return { content: await readBySha256({ org_id }, sha256) };
  const prepared = encodings.find((known) => known === encoding);
  if (prepared === undefined) throw new AppError('file_not_found');
  return { content: await readEncoded({ org_id }, sha256, prepared) };
});
