import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { AppError, siteNames } from '@webkiln/contract';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { createHttpServer } from '@webkiln/runtime';
import { Contents } from '../contents/contents.ts';
import { Resolutions } from '../resolutions/resolutions.ts';
import { Visits } from '../serving/visits.ts';

export interface TestFile {
  readonly content: string | Buffer;
  readonly type?: string;
  /** Whether Brotli and gzip are prepared; default false. */
  readonly prepared?: boolean;
}

export interface Shown {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export const bodyOf = ({ content }: TestFile) => Buffer.from(content);
export const shaOf = (file: TestFile) => hash('sha256', bodyOf(file));

const typeOf = (path: string) =>
  path.endsWith('.html') ? 'text/html; charset=utf-8' : path.endsWith('.css') ? 'text/css; charset=utf-8' : 'application/octet-stream';

/** What is published, as projects-templates would answer for it over real gRPC, and what it was asked. */
export class Published {
  readonly #live = new Map<string, { files: Record<string, TestFile>; suspended: boolean }>();
  readonly #contents = new Map<string, Buffer>();
  readonly asked: string[] = [];
  readonly loaded: string[] = [];
  /** What happens before each answer. */
  before: () => Promise<void> = async () => undefined;

  publish(name: string, files: Record<string, TestFile>, { suspended = false } = {}): void {
    this.#live.set(name, { files, suspended });
    for (const file of Object.values(files)) this.#contents.set(shaOf(file), bodyOf(file));
  }

  forget(file: TestFile): void {
    this.#contents.delete(shaOf(file));
  }

  readonly serve = () =>
    startReplica({
      'sites.ResolveSite': async ({ name }) => {
        this.asked.push(name);
        await this.before();
        const live = this.#live.get(name);
        if (live === undefined) return { found: false };
        const files = Object.entries(live.files).map(([path, file]) => ({
          path,
          sha256: shaOf(file),
          size: bodyOf(file).byteLength,
          content_type: file.type ?? typeOf(path),
          encodings: file.prepared ? ['br', 'gzip'] : [],
        }));
        return { found: true, org_id: 'org', project_id: name, deploy_id: 'deploy', suspended: live.suspended, files };
      },
      'sites.GetSiteContent': async ({ sha256, encoding }) => {
        this.loaded.push(`${sha256}${encoding}`);
        await this.before();
        const content = this.#contents.get(sha256);
        if (content === undefined) throw new AppError('file_not_found');
        return { content: encoding === 'br' ? brotliCompressSync(content) : encoding === 'gzip' ? gzipSync(content) : content };
      },
    });
}

interface Visitor {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sites as its process runs them, in this one; `await using` ends it. */
export async function serveSites(published: Published, { feedIsLive = () => true, cacheBytes = 64 * 1024 * 1024 } = {}) {
  const replica = await published.serve();
  const peers = connectTo('carried', [replica.port]);
  const resolutions = new Resolutions({ feedIsLive, canAsk: () => true });
  const contents = new Contents(cacheBytes);
  const server = createHttpServer(new Visits({ resolutions, contents, nameOf: siteNames('sites.test') }).handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    resolutions,
    visit: (path: string, visitor: Visitor = {}) => visit(port, path, visitor),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await peers[Symbol.asyncDispose]();
      await replica.drain();
    },
  };
}

/** One request, its path as it is given: nothing is normalised, decoded or followed. */
export async function visit(
  port: number,
  path: string,
  { host = 'shop.sites.test', method = 'GET', headers = {} }: Visitor = {},
): Promise<Shown> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...headers, host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}
