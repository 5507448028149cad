import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@webkiln/contract';
import { contentChunkBytes, dataServiceNames } from '@webkiln/messages';
import type { Command } from 'commander';
import { ZipFile } from 'yazl';
import { ask, organizationId, withServices } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { print } from '../output.ts';
import { asJson } from './pages.ts';
import { type Asker, everyProject, everyTemplate, ofEach } from './projects.ts';
import { readme } from './readme.ts';
import { recordsOf } from './records.ts';

const callTimeoutMs = 30_000;
const filesPerReport = 1_000;

/** How many records of each kind, and how many files, an archive has. */
type Counts = Readonly<Record<string, number>>;

/** Writes everything that the organization owns into one ZIP archive, a page and a part of a file at a time. */
async function exportOrganization(orgId: string, target: string, report: (line: string) => void): Promise<Counts> {
  const asker: Asker = (method, request) => ask(method, request, orgId, callTimeoutMs);
  const { organization } = await asker('identity.ExportOrganization', {});
  const archive = new Archive(target);
  const counts: Record<string, number> = {};
  try {
    await archive.add('organization.json', once(JSON.stringify(organization, null, 2)));
    for (const [kind, records] of Object.entries(recordsOf(asker))) {
      let count = 0;
      await archive.add(
        `${kind}.json`,
        asJson(records(), () => count++),
      );
      counts[kind] = count;
      report(`${kind}: ${count}`);
    }
    let files = 0;
    for await (const { name, content } of filesOf(asker)) {
      await archive.add(name, content);
      if (++files % filesPerReport === 0) report(`files: ${files}, more follow`);
    }
    counts.files = files;
    report(`files: ${files}`);
    const manifest = { organization, exported_at: new Date().toISOString(), counts };
    await archive.add('manifest.json', once(JSON.stringify(manifest, null, 2)));
    await archive.add('README.txt', once(readme(organization?.name ?? '')));
    await archive.close();
    return counts;
  } catch (error) {
    await archive.discard();
    if (error instanceof AppError || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw new OperatorError(`The archive could not be written: ${error.message}. Nothing was left behind.`, { cause: error });
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield `${text}\n`;
}

interface StoredFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** A file of the archive. */
interface ArchivedFile {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The files of all drafts, live sites and templates. */
async function* filesOf(ask: Asker): AsyncGenerator<ArchivedFile> {
  const inFolder = (folder: string, files: readonly StoredFile[]) =>
    files.map((file): ArchivedFile => ({ name: `${folder}/${file.path}`, content: contentOf(ask, file) }));
  yield* ofEach(everyProject(ask), async function* (project_id) {
    yield* inFolder(`drafts/${project_id}`, (await ask('projects.ListProjectFiles', { project_id })).files);
    const { deploys } = await ask('projects.ListDeploys', { project_id, offset: 0 });
    const live = deploys.find((deploy) => deploy.live);
    if (live === undefined) return;
    yield* inFolder(`sites/${project_id}`, (await ask('projects.ListDeployFiles', { project_id, deploy_id: live.id })).files);
  });
  yield* ofEach(everyTemplate(ask), async function* (template_id) {
    yield* inFolder(`templates/${template_id}`, (await ask('templates.ListTemplateFiles', { template_id })).files);
  });
}

async function* contentOf(ask: Asker, { sha256, size }: StoredFile): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; ) {
    const { content } = await ask('projects.ReadContent', { sha256, offset, length: Math.min(contentChunkBytes, size - offset) });
    offset += content.byteLength;
    yield content;
  }
}

type Content = AsyncIterable<string | Uint8Array>;

/**
 * A ZIP archive that is written entry by entry: memory holds the parts in flight and the names of the entries. The file
 * appears under its name when it is whole.
 */
class Archive {
  readonly #zip = new ZipFile();
  readonly #target: string;
  readonly #draft: string;
  readonly #written: Promise<void>;

  constructor(target: string) {
    this.#target = target;
    this.#draft = `${target}.${randomUUID()}.part`;
    this.#written = pipeline(this.#zip.outputStream, createWriteStream(this.#draft, { flags: 'wx', mode: 0o600 }));
    // Reported by the entry or by `close`, which wait for it.
    this.#written.catch(() => undefined);
  }

  /** Adds an entry; resolves when all of its content is taken. Rejects if reading or writing it fails. */
  async add(name: string, content: Content): Promise<void> {
    const source = Readable.from(content, { objectMode: false });
    const read = new Promise<void>((resolve, reject) => source.once('end', resolve).once('error', reject));
    this.#zip.addReadStream(source, name);
    await Promise.race([read, this.#written]);
  }

  /** Writes the directory of the archive and gives the file its name. */
  async close(): Promise<void> {
    this.#zip.end();
    await this.#written;
    await rename(this.#draft, this.#target);
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    (this.#zip.outputStream as Readable).destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#draft, { force: true });
  }
}

/** Adds `org export`. */
export function addExportCommand(org: Command): void {
  org
    .command('export')
    .description('write all data of an organization into one ZIP archive, which says what is in it')
    .argument('<org>', 'its id or slug')
    .requiredOption('--to <file>', 'the archive; it appears when it is complete')
    .addHelpText(
      'after',
      `
It needs the addresses of all services. Progress goes to standard error. The archive holds personal data: only you may read the file.
Secrets of keys, embed clients and webhooks are left out. The export is in the audit log of the organization.`,
    )
    .action((idOrSlug: string, { to }: { to: string }, command: Command) =>
      withServices(dataServiceNames, async () => {
        const target = path.resolve(to);
        const counts = await exportOrganization(await organizationId(idOrSlug), target, (line) => console.error(line));
        print(command, { archive: target, counts }, () => `Exported to ${target}.`);
      }),
    );
}
