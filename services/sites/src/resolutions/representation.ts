import type { Encoding } from '@webkiln/runtime/representations';
import type { CacheControl } from './cache-control.ts';

/** One form of a file, as it is sent (RFC 9110 §3.2): its bytes never change. */
export interface Representation {
  /** Names the bytes. */
  readonly key: string;
  readonly orgId: string;
  readonly sha256: string;
  readonly encoding: Encoding;
  /** Of the file as it is: the most that this form needs. */
  readonly bytesMost: number;
  readonly etag: string;
  /** Names and values in turn: what both the bytes and "not modified" are sent with. */
  readonly metadata: readonly string[];
  /** What the bytes are sent with besides. */
  readonly ofBytes: readonly string[];
}

/** A file as the manifest of its deploy has it. */
interface ListedFile {
  readonly sha256: string;
  readonly size: number;
  readonly content_type: string;
  readonly encodings: readonly string[];
}

/**
 * What strangers' pages are served with. Each is an origin of its own, and keeps a process of its own where browsers can give it one; a type is
 * what the manifest says and never guessed. Whether https holds for ever, who may frame the page and what it loads is its owner's to say.
 */
const untrusted = ['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'];

/** Everything about one form of a file that can be known before its bytes. */
export function representationOf(orgId: string, file: ListedFile, encoding: Encoding, cacheControl: CacheControl): Representation {
  const { sha256, size, content_type: type, encodings } = file;
  const etag = encoding === '' ? `"${sha256}"` : `"${sha256}-${encoding}"`;
  const varies = encodings.length > 0 ? ['Vary', 'Accept-Encoding'] : [];
  return {
    key: `${orgId}/${sha256}/${encoding}`,
    orgId,
    sha256,
    encoding,
    bytesMost: size,
    etag,
    metadata: ['ETag', etag, 'Cache-Control', cacheControl(type), ...varies, ...untrusted],
    ofBytes: ['Content-Type', type, 'Accept-Ranges', 'bytes', ...(encoding === '' ? [] : ['Content-Encoding', encoding])],
  };
}
