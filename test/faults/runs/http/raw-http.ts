import { connect } from 'node:net';

/** A request that is turned into bytes without any validation. */
export interface RawRequest {
  readonly method: string;
  /** The whole request target, such as /api/v1/plans. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

export interface RawAnswer {
  readonly status: number;
  /** Keys are lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const timeoutMs = 120_000;
/** After this time the write side is closed, so that the server stops waiting for the rest of half a request. */
const endAfterMs = 10_000;

/**
 * The bytes of a request. Adds Connection: close, Host and Content-Length unless given. Text outside Latin-1 is sent as
 * UTF-8.
 */
export function bytesOf({ method, target, headers, body = '' }: RawRequest): Buffer {
  const content = Buffer.from(body);
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const all = [...headers];
  if (!given.has('connection')) all.push(['Connection', 'close']);
  if (!given.has('host')) all.unshift(['Host', 'localhost']);
  if (!given.has('content-length') && !given.has('transfer-encoding') && content.length > 0)
    all.push(['Content-Length', String(content.length)]);
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

/** Sends bytes. Resolves with the final answer, or with undefined if the server closed without one. */
export function exchange(origin: string, bytes: Buffer): Promise<RawAnswer | undefined> {
  const { port } = new URL(origin);
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const toHead = bytes.subarray(0, 5).toString() === 'HEAD ';
  const received = () => parse(Buffer.concat(chunks), toHead);
  return new Promise((resolve, reject) => {
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = received();
      if (answer === undefined) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(end);
      resolve(received());
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(received());
      else reject(error);
    });
    socket.write(bytes);
    const end = setTimeout(() => socket.end(), endAfterMs);
  });
}

/** Parses the first final answer, or returns undefined while it is incomplete. */
function parse(received: Buffer, toHead: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const rest = received.subarray(end + 4);
  if (status < 200) return parse(rest, toHead);
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const length = Number(headers.get('content-length') ?? 0);
  const bodyless = toHead || status === 204 || status === 304;
  if (!bodyless && rest.length < length) return undefined;
  return { status, headers, body: bodyless ? '' : rest.subarray(0, length).toString() };
}

/** True if the answer is an error envelope; the answer to a HEAD request has no body. */
export function isEnvelope({ headers, body }: RawAnswer, request: Buffer): boolean {
  if (request.subarray(0, 5).toString() === 'HEAD ') return true;
  try {
    const { error } = JSON.parse(body);
    return typeof error === 'string' && error !== '' && headers.get('content-type')?.startsWith('application/json') === true;
  } catch {
    return false;
  }
}
