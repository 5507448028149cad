import { contentChunkBytes } from '@webkiln/messages';
import { type Asker, everyProject, everyTemplate, ofEach } from './projects.ts';

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
export async function* filesOf(ask: Asker): AsyncGenerator<ArchivedFile> {
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
