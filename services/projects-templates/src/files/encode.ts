import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The content codings that are stored, named as in RFC 9110 §8.4.1. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

const compressible =
  /^(text\/|image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(ttf|otf)|application\/([\w.-]+\+)?(json|xml|javascript|wasm|vnd\.ms-fontobject)\b)/;
const minBytes = 256;
/** An encoded content is a single chunk. */
const maxEncodedBytes = 8 * 1024 * 1024;
const maxSizeRatio = 0.95;
/** Larger contents use a lower Brotli quality, which is much faster. */
const maxHighQualityBytes = 256 * 1024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

export const isCompressible = ({ content_type, size }: { content_type: string; size: number }): boolean =>
  size >= minBytes && compressible.test(content_type);

/** Undefined if the encoded content is not at least 5 % smaller, or larger than a chunk. Runs on the thread pool. */
export async function encode(content: Uint8Array, encoding: Encoding): Promise<Uint8Array | undefined> {
  const quality = content.byteLength <= maxHighQualityBytes ? 9 : 5;
  const encoded =
    encoding === 'br'
      ? await brotli(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength },
        })
      : await zip(content, { level: 6 });
  return encoded.byteLength > Math.min(content.byteLength * maxSizeRatio, maxEncodedBytes) ? undefined : encoded;
}
