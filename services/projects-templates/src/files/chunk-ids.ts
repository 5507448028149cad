import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import type { Tenant } from '@webkiln/store';
import type { Encoding } from './encode.ts';

type Content = Pick<File, 'sha256' | 'size'>;

/** The largest chunk with an id of `wholeChunkId`: an encoded content, or one stored by an earlier version. */
export const wholeChunkBytes = 8 * 1024 * 1024;

/** The name of an encoded content; a plain one is named by its SHA-256. */
export const encodedName = (sha256: string, encoding: Encoding): string => `${sha256}.${encoding}`;

/** The id of the chunk with the byte at `offset` of a small or encoded content, or one stored by an earlier version. */
export const wholeChunkId = ({ org_id }: Tenant, name: string, offset: number): string =>
  `${org_id}/${name}/${Math.floor(offset / wholeChunkBytes)}`;

/** The id of the chunk that holds the byte at `offset` of a larger content. */
export const chunkIdAt = ({ org_id }: Tenant, sha256: string, offset: number): string =>
  `${org_id}/${sha256}/512k/${Math.floor(offset / contentChunkBytes)}`;

const offsets = (size: number, step: number) => Array.from({ length: Math.ceil(size / step) }, (_, index) => index * step);

/** The ids under which a file's content is stored now, in order. An empty file has none. */
export const chunkIdsOf = (tenant: Tenant, { sha256, size }: Content): string[] =>
  offsets(size, contentChunkBytes).map((offset) =>
    size <= contentChunkBytes ? wholeChunkId(tenant, sha256, offset) : chunkIdAt(tenant, sha256, offset),
  );

/** The ids under which earlier versions stored a content that is larger than a chunk now, in order. */
export const earlierChunkIdsOf = (tenant: Tenant, { sha256, size }: Content): string[] =>
  size <= contentChunkBytes ? [] : offsets(size, wholeChunkBytes).map((offset) => wholeChunkId(tenant, sha256, offset));

/** All ids that a manifest lists for a content, whichever version stored it. */
export const referencedIdsOf = (tenant: Tenant, content: Content): string[] => [
  ...chunkIdsOf(tenant, content),
  ...earlierChunkIdsOf(tenant, content),
];
