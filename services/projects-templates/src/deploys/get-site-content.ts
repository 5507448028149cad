import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { encodedName, wholeChunkBytes } from '../files/chunk-ids.ts';
import { encodings } from '../files/encode.ts';
import { readBySha256, readPart } from '../files/read-contents.ts';

/** Returns one file's content or a part of it, plain or precompressed. For `sites`. */
export const getSiteContent = handle('sites.GetSiteContent', async ({ org_id, sha256, encoding, offset, length }, caller) => {
  assertInternal(caller);
  const tenant = { org_id };
  if (encoding === '') {
    const content = length === 0 ? await readBySha256(tenant, sha256) : (await readPart(tenant, sha256, offset, length)).content;
    return { content, size: 0 };
  }
  const prepared = encodings.find((known) => known === encoding);
  if (prepared === undefined) throw new AppError('file_not_found');
  const { content, chunkBytes } = await readPart(tenant, encodedName(sha256, prepared), offset, length || wholeChunkBytes);
  return { content, size: chunkBytes };
});
