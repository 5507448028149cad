import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { type Dispatcher, errors } from 'undici';
import { NameUnresolved, OutboundRefusal } from './addresses/guarded-connect.ts';

/** The result of one request. Only `answered` has a status; `reason` is a sentence for the owner of the address. */
export type OutboundAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** The header as received: seconds or an HTTP date. */
      readonly retryAfter: string | undefined;
      /** The first 1 KB of the body, decompressed. */
      readonly response: string;
      readonly latencyMs: number;
    }
  | { readonly outcome: 'failed'; readonly reason: string; readonly latencyMs: number; readonly timedOut?: true };

/**
 * One request from dispatch to result, in at most `timeoutMs`, connecting included. The status decides the result, even
 * if the body after it breaks off, never ends or stalls.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #settle: (answer: OutboundAnswer) => void;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #begunAt = performance.now();
  readonly #body = new ResponseStart();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #encoding = '';
  #settled = false;

  constructor(timeoutMs: number, settle: (answer: OutboundAnswer) => void) {
    this.#settle = settle;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(giveUp, timeoutMs, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('nobody waits any more'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: NodeJS.Dict<string | string[]>): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
    this.#encoding = String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.add(chunk)) return;
    this.#finish();
    controller.abort(new Error('the response is longer than needed'));
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#status > 0) this.#finish();
    else this.fail(failureReason(error));
  }

  /** Ends the attempt at its timeout. */
  expire(): void {
    const controller = this.#controller;
    const within = `within ${this.#timeoutMs / 1_000} s`;
    if (this.#status > 0) this.#finish();
    else this.#fail(controller ? `The receiver did not answer ${within}.` : `The receiver could not be connected to ${within}.`, true);
    controller?.abort(new Error('the time is up'));
  }

  fail(reason: string): void {
    this.#fail(reason, false);
  }

  /** The timeout is recorded here: a timer may fire a millisecond early, so the latency does not prove it. */
  #fail(reason: string, timedOut: boolean): void {
    this.#end({ outcome: 'failed', reason, latencyMs: this.#latencyMs(), ...(timedOut && { timedOut }) });
  }

  #finish(): void {
    if (!this.#isEnd()) return;
    const answered = { outcome: 'answered', status: this.#status, retryAfter: this.#retryAfter, latencyMs: this.#latencyMs() } as const;
    const body = this.#body.bytes();
    const decoder = decoderOf(this.#encoding, body);
    if (decoder === undefined) this.#settle({ ...answered, response: startOf(body) });
    else startOfDecoded(decoder, body).then((response) => this.#settle({ ...answered, response }));
  }

  #end(answer: OutboundAnswer): void {
    if (this.#isEnd()) this.#settle(answer);
  }

  /** True the first time. */
  #isEnd(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    return true;
  }

  #latencyMs(): number {
    return Math.round(performance.now() - this.#begunAt);
  }
}

const giveUp = (attempt: Attempt) => attempt.expire();

const shownBytes = 1_024;
/** Compressed, this is more than is shown: the header of a Brotli or Zstandard frame alone may be long. */
const keptBytes = 8_192;
const readBytes = 65_536;

/** Keeps the beginning of a response and detects when enough was read. */
export class ResponseStart {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** True if more than 64 KB were received. */
  add(chunk: Buffer): boolean {
    if (this.#bytes < keptBytes) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > readBytes;
  }

  text(): string {
    return startOf(this.bytes());
  }

  bytes(): Buffer {
    const [only = Buffer.alloc(0)] = this.#chunks;
    return this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only;
  }
}

/** The text: a character that the cut would split is left out, bytes that are not UTF-8 become U+FFFD. */
const startOf = (bytes: Buffer): string =>
  bytes.length <= shownBytes ? bytes.toString() : bytes.toString('utf8', 0, characterStart(bytes, shownBytes));

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Undefined for a body that is not compressed, whatever its header says; some servers compress without a header. */
function decoderOf(encoding: string, body: Buffer): Transform | undefined {
  if (body[0] === 0x1f && body[1] === 0x8b) return createGunzip();
  const isRaw = encoding === 'deflate' && ((body[0] ?? 0) & 0x0f) !== 8;
  return isRaw ? createInflateRaw() : decoders[encoding]?.();
}

/** The start of what a body unpacks to, at most some 16 KB of it; of one that cannot be unpacked, that of itself. */
async function startOfDecoded(decoder: Transform, body: Buffer): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of Readable.from([body]).pipe(decoder)) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > shownBytes) break;
    }
  } catch {
    // It breaks off, because more is not kept.
  }
  return startOf(bytes === 0 ? body : Buffer.concat(chunks));
}

/** The start of the last character at or before an offset; the offset itself if the bytes there are not UTF-8. */
function characterStart(bytes: Buffer, offset: number): number {
  for (let start = offset; start > offset - 4; start -= 1) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  }
  return offset;
}

const closed = 'The receiver closed the connection before it answered.';
const incompleteChain = 'The certificate of the receiver comes from an issuer that is not known, or its chain is incomplete.';
const selfSigned = 'The certificate of the receiver is self-signed.';
const unreachable = 'The network of the receiver cannot be reached.';
const noTls = 'The receiver does not speak TLS as it should.';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: 'The receiver could not be connected to in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The receiver could not be connected to in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are larger than 16 KB.',
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the receiver is not valid yet.',
  CERT_REVOKED: 'The certificate of the receiver was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incompleteChain,
  UNABLE_TO_GET_ISSUER_CERT: incompleteChain,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incompleteChain,
  EPROTO: noTls,
};

/** The sentence in which the dashboard explains why there was no response. */
export function failureReason(error: Error & { code?: string }): string {
  if (error instanceof OutboundRefusal || error instanceof NameUnresolved) return error.message;
  const { code = '' } = error;
  if (error instanceof errors.HTTPParserError) return 'The answer of the receiver is not HTTP.';
  if (code.startsWith('ERR_SSL_')) return noTls;
  return sentences[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`;
}
