import { createHash, type Hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { makeProject } from '../../../contract/fixtures.ts';
import { type Agency, agency } from '../../../harness/agency.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

const unlimited = 1_000_000;
const fileBytes = 20 * 1024 * 1024;
const filePath = 'large.bin';
/** A slow reader pauses as long after as many bytes. */
const slowly = { bytes: 256 * 1024, pauseMs: 5 };

/** A published project with a large file, and the requests that read it: by the API, and from the site. */
export interface LargeFile {
  readonly owner: Agency;
  readonly sha256: string;
  readonly requests: readonly string[];
}

/**
 * Each has an organization of its own, so that no bound of one credential keeps readers away. Publishes again while the
 * platform has no room for the body.
 */
export async function publishLargeFile(facts: PlatformFacts): Promise<LargeFile> {
  const owner = await agency(facts, { rateLimit: unlimited });
  const { id } = await makeProject(owner.api);
  const content = randomBytes(fileBytes);
  const builtFiles = { 'index.html': 'page', [filePath]: { content: content.toString('base64'), encoding: 'base64' } };
  const { url } = (await owner.eventually(async () => (await owner.api.post(`/projects/${id}/publish`, { builtFiles })).expect(200))).body;
  const get = (target: string, headers: string) => `GET ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`;
  const byApi = get(
    `${new URL(owner.api.baseUrl).pathname}/projects/${id}/files/${filePath}`,
    `Host: localhost\r\nAuthorization: Bearer ${owner.api.key}`,
  );
  const bySite = get(`/${filePath}`, `Host: ${new URL(url).host}`);
  return { owner, sha256: createHash('sha256').update(content).digest('hex'), requests: [byApi, bySite] };
}

export interface Reader {
  readonly status: number;
  readonly socket: Socket;
  /** What came with the head. */
  readonly begun: Buffer;
}

/** Sends a request, and reads nothing after the head of the response. */
export async function holdUnread(origin: string, request: string, localAddress?: string): Promise<Reader> {
  const { port } = new URL(origin);
  const socket = connect({ host: '127.0.0.1', port: Number(port), ...(localAddress !== undefined && { localAddress }) });
  socket.on('error', () => undefined).write(request);
  await once(socket, 'readable');
  const head: Buffer = socket.read() ?? Buffer.alloc(0);
  const status = Number(head.toString('latin1', 9, 12));
  return { status, socket, begun: head.subarray(head.indexOf('\r\n\r\n') + 4) };
}

/** Reads the rest of a response with pauses. Returns the SHA-256 of the body. */
export async function readSlowly({ socket, begun }: Reader): Promise<string> {
  const hash: Hash = createHash('sha256').update(begun);
  let unpaused = 0;
  for await (const chunk of socket) {
    hash.update(chunk);
    unpaused += chunk.byteLength;
    if (unpaused < slowly.bytes) continue;
    unpaused = 0;
    await pause(slowly.pauseMs);
  }
  return hash.digest('hex');
}
