import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** How a content may be prepared, by the names of RFC 9110 §8.4.1. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

const compressible =
  /^(text\/|image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(ttf|otf)|application\/([\w.-]+\+)?(json|xml|javascript|wasm)\b)/;
const leastBytes = 256;
/** A prepared form is one chunk. */
const mostEncodedBytes = 8 * 1024 * 1024;
const leastSaving = 0.95;
/** Up to this size there is time for the better half of Brotli. */
const smallBytes = 256 * 1024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

export const isCompressible = ({ content_type, size }: { content_type: string; size: number }): boolean =>
  size >= leastBytes && compressible.test(content_type);

/** The content in that encoding; undefined where that is not worth it. Runs on the thread pool. */
export async function encode(content: Uint8Array, encoding: Encoding): Promise<Uint8Array | undefined> {
  const quality = content.byteLength <= smallBytes ? 9 : 5;
  const encoded =
    encoding === 'br'
      ? await brotli(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength },
        })
      : await zip(content, { level: 6 });
  return encoded.byteLength > Math.min(content.byteLength * leastSaving, mostEncodedBytes) ? undefined : encoded;
}
