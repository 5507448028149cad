import { hash } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@webkiln/contract';
import { handle, type UseCase } from '@webkiln/rpc';
import { Semaphore } from '@webkiln/runtime';
import type { Tenant } from '@webkiln/store';
import { ZipFile } from 'yazl';
import { siteName } from '../deploys/site-name.ts';
import { currentRevision } from '../drafts/revision.ts';
import { filesOf } from '../files/manifest-store.ts';
import { readBeginning } from '../files/read-contents.ts';
import { existingVersion } from '../history/version.ts';
import { assertPlanAllows } from '../plan-rights.ts';
import { existingProject, type ProjectRecord } from '../projects/project-store.ts';

/** A site has at most 25 MB, and its zip about as much. */
const exports = new Semaphore({ permits: 2, maxWaiting: 100, maxWaitMs: 5000, refusal: () => new AppError('overloaded') });

const exportProject = handle('projects.ExportProject', async ({ project_id, of, version }, caller) => {
  const project = await existingProject(caller, project_id);
  await assertPlanAllows('can_export_code', project, caller);
  const { manifestId, at } = version !== undefined ? versionOf(project, version) : of === 'live' ? liveOf(project) : draftOf(project);
  const content = await exports.run(() => zip(project, manifestId, at));
  const filename = `${project.subdomain ?? siteName(project.name, 0)}.zip`;
  const file = { path: filename, size: content.byteLength, sha256: hash('sha256', content), content_type: 'application/zip' };
  return { file, content, filename };
});

async function zip(tenant: Tenant, manifestId: string | null, at: string): Promise<Buffer> {
  const entries: { path: string; content: Uint8Array }[] = [];
  for (const file of await filesOf(tenant, manifestId)) {
    entries.push({ path: file.path, content: await readBeginning(tenant, file, 0) });
  }
  return zipOf(entries, new Date(at));
}

const draftOf = (project: ProjectRecord) => ({
  manifestId: project.draft_manifest_id,
  at: currentRevision(project)?.created_at ?? project.created_at,
});

function versionOf(project: ProjectRecord, id: string) {
  const { manifest_id, created_at } = existingVersion(project, id);
  return { manifestId: manifest_id, at: created_at };
}

function liveOf({ deploys, live_deploy_id }: ProjectRecord) {
  const live = deploys.find(({ id }) => id === live_deploy_id);
  if (live === undefined) throw new AppError('site_not_found');
  return { manifestId: live.manifest_id, at: live.created_at };
}

interface Entry {
  readonly path: string;
  readonly content: Uint8Array;
}

/** A zip of files, in the order given. The same bytes for the same files and time. */
async function zipOf(entries: readonly Entry[], mtime: Date): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { path, content } of entries) zip.addBuffer(Buffer.from(content), path, { mtime, mode: 0o100644 });
  zip.end();
  const chunks: Buffer[] = [];
  const collected = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await pipeline(zip.outputStream, collected);
  return Buffer.concat(chunks);
}

export const exportUseCases: UseCase[] = [exportProject];
