import { hash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { AppError } from '@webkiln/contract';
import { startReplica } from '@webkiln/rpc/testing';
import { parseRules } from '@webkiln/site-rules/parse';

export interface TestFile {
  readonly content: string | Buffer;
  readonly type?: string;
  /** True if Brotli and gzip encodings exist; default false. */
  readonly prepared?: boolean;
}

export const bodyOf = ({ content }: TestFile) => Buffer.from(content);
export const shaOf = (file: TestFile) => hash('sha256', bodyOf(file));

const typeOf = (path: string) =>
  path.endsWith('.html') ? 'text/html; charset=utf-8' : path.endsWith('.css') ? 'text/css; charset=utf-8' : 'application/octet-stream';

const listed = (files: Record<string, TestFile>) =>
  Object.entries(files).map(([path, file]) => ({
    path,
    sha256: shaOf(file),
    size: bodyOf(file).byteLength,
    content_type: file.type ?? typeOf(path),
    encodings: file.prepared ? ['br', 'gzip'] : [],
  }));

const served = ({ _redirects, _headers, ...files }: Record<string, TestFile>) => files;

async function rulesOf({ _redirects, _headers }: Record<string, TestFile>) {
  const { rules } = await parseRules({ redirects: _redirects && bodyOf(_redirects), headers: _headers && bodyOf(_headers) });
  return rules;
}

/** A fake of projects-templates over real gRPC, with published sites and drafts. It records its calls. */
export class FakePublisher {
  readonly #live = new Map<
    string,
    {
      files: Record<string, TestFile>;
      earlier: Record<string, TestFile>;
      suspended: boolean;
      taken_down: boolean;
      clears_storage_until: string;
    }
  >();
  readonly #moved = new Map<string, string>();
  readonly #drafts = new Map<string, { files: Record<string, TestFile>; suspended: boolean; expires_at: string }>();
  readonly #contents = new Map<string, Buffer>();
  readonly lookups: string[] = [];
  readonly loaded: string[] = [];
  /** Awaited before each reply. */
  beforeReply: () => Promise<void> = async () => undefined;

  publish(
    name: string,
    files: Record<string, TestFile>,
    { suspended = false, takenDown = false, clearsUntil = '', earlier = {} as Record<string, TestFile> } = {},
  ): void {
    this.#live.set(name, { files, earlier, suspended, taken_down: takenDown, clears_storage_until: clearsUntil });
    this.#keep(files);
    this.#keep(earlier);
  }

  /** The site that was at a name is at another origin. */
  move(name: string, origin: string): void {
    this.#live.delete(name);
    this.#moved.set(name, origin);
  }

  /** Resolves the token to this draft, for an hour by default. */
  draft(token: string, files: Record<string, TestFile>, { suspended = false, endsInMs = 3_600_000 } = {}): void {
    this.#drafts.set(token, { files, suspended, expires_at: new Date(Date.now() + endsInMs).toISOString() });
    this.#keep(files);
  }

  forget(file: TestFile): void {
    this.#contents.delete(shaOf(file));
  }

  #keep(files: Record<string, TestFile>): void {
    for (const file of Object.values(files)) this.#contents.set(shaOf(file), bodyOf(file));
  }

  readonly serve = () =>
    startReplica({
      'sites.ResolveSite': async ({ name }) => {
        this.lookups.push(name);
        await this.beforeReply();
        const live = this.#live.get(name);
        const ids = { org_id: 'org', project_id: name, deploy_id: 'deploy' };
        if (live === undefined) return { found: false, ...ids, moved_to: this.#moved.get(name) ?? '' };
        const { earlier, files, ...fields } = live;
        return { found: true, ...ids, ...fields, ...(await rulesOf(files)), files: listed(served(files)), earlier_files: listed(earlier) };
      },
      'sites.ResolvePreview': async ({ token }) => {
        this.lookups.push(token);
        await this.beforeReply();
        const draft = this.#drafts.get(token);
        return draft === undefined
          ? { found: false }
          : {
              found: true,
              org_id: 'org',
              project_id: 'draft',
              ...draft,
              files: listed(served(draft.files)),
              redirects: (await rulesOf(draft.files)).redirects,
            };
      },
      'sites.GetSiteContent': async ({ sha256, encoding, offset, length }) => {
        this.loaded.push(`${sha256}${encoding}`);
        await this.beforeReply();
        const content = this.#contents.get(sha256);
        if (content === undefined) throw new AppError('file_not_found');
        const sent = encoding === 'br' ? brotliCompressSync(content) : encoding === 'gzip' ? gzipSync(content) : content;
        return { content: sent.subarray(offset, offset + length), size: encoding === '' ? 0 : sent.byteLength };
      },
    });
}
