import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)];

/** A body that does not change, with its encodings. */
export interface Encoded {
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

export async function encode(content: string | Buffer): Promise<Encoded> {
  const identity = Buffer.from(content);
  const [br, gzipped] = await Promise.all([brotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }), zip(identity)]);
  return { identity, br, gzip: gzipped };
}

const takes = (accepted: string, encoding: string) =>
  accepted.split(',').some((each) => {
    const [name = '', weight = 'q=1'] = each.toLowerCase().split(';');
    return name.trim() === encoding && Number(weight.trim().slice('q='.length)) > 0;
  });

/** The body in an encoding that the client takes (RFC 9110 §12.5.3), and the headers that say so. */
export function encodedFor({ headers }: IncomingMessage, encoded: Encoded): { readonly body: Buffer; readonly headers: readonly string[] } {
  const accepted = String(headers['accept-encoding'] ?? '');
  const encoding = (['br', 'gzip'] as const).find((each) => takes(accepted, each));
  if (encoding === undefined) return { body: encoded.identity, headers: [] };
  return { body: encoded[encoding], headers: ['Content-Encoding', encoding] };
}
