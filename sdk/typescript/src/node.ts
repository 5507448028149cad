import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PublishWarning } from '../gen/schemas.ts';
import { ApiError, WebkilnError } from './errors.ts';
import type { Webkiln } from './webkiln.ts';

/** What systems and tools leave in folders, and nobody means to publish. */
const leftOut = new Set(['__MACOSX', '.DS_Store', '.git', '.webkiln']);
const maxFiles = 2000;
const maxBytes = 25 * 1024 * 1024;
/** A slow line needs minutes for 25 MB. */
const uploadTimeoutMs = 600_000;
const chunkBytes = 64 * 1024;

/** A file of a folder, its `path` as the site has it. */
export interface LocalFile {
  readonly path: string;
  readonly sha256: string;
  readonly content: Buffer;
}

export interface DeployProgress {
  /** Files of the folder, and those among them that are sent. */
  readonly files: number;
  readonly sent: number;
  /** Bytes of the request so far, and in all. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface DeployOptions {
  /** Leaves the live site as it is: the folder becomes the draft, which `previewUrl` shows. */
  readonly preview?: boolean;
  /** What is new, for the project's history. */
  readonly message?: string | undefined;
  readonly onProgress?: ((progress: DeployProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DeployedFolder {
  readonly files: number;
  /** How many of them the platform did not have. */
  readonly sent: number;
  /** Where the site is live; absent for a preview. */
  readonly url?: string;
  readonly deployId?: string;
  readonly warnings: readonly PublishWarning[];
  /** Where the draft is shown to whoever has the link; absent if it was published. */
  readonly previewUrl?: string;
}

/**
 * Makes a folder a project's draft, and publishes it. Contents that the draft has are not sent. Draft and site change
 * in one write each: a deploy that breaks off leaves all of the old files or all of the new.
 */
export async function deployFolder(
  webkiln: Webkiln,
  projectId: string,
  folder: string,
  { preview = false, message, onProgress, signal }: DeployOptions = {},
): Promise<DeployedFolder> {
  const files = await filesOf(folder);
  const sent = await upload(webkiln, projectId, files, onProgress, signal);
  if (preview) {
    const { preview_url: previewUrl } = await webkiln.projects.getPreview(projectId, {}, { signal });
    return { files: files.length, sent, warnings: [], previewUrl };
  }
  const { url, deployId, warnings = [] } = await webkiln.projects.publish(projectId, message === undefined ? {} : { message }, { signal });
  return { files: files.length, sent, url, deployId, warnings };
}

/** The files of a folder, in the order of their paths. Throws `WebkilnError` for a link, or what a site cannot hold. */
export async function filesOf(folder: string): Promise<LocalFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new WebkilnError(`${folder} cannot be read: ${error.message}`, { cause: error });
  });
  const files: LocalFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const at = path.join(entry.parentPath, entry.name);
    const segments = path.relative(folder, at).split(path.sep);
    if (entry.isDirectory() || segments.some((segment) => leftOut.has(segment))) continue;
    if (!entry.isFile()) throw new WebkilnError(`${at} is a link or no file: put the file that it points to in its place.`);
    const content = await readFile(at);
    bytes += content.byteLength;
    if (files.length === maxFiles || bytes > maxBytes) {
      throw new WebkilnError(`${folder} has more than ${maxFiles} files or 25 MB: name the folder that your build makes.`);
    }
    files.push({ path: segments.join('/'), sha256: createHash('sha256').update(content).digest('hex'), content });
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Sends the contents that the draft lacks; all of them if it has changed meanwhile. Returns how many. */
async function upload(
  webkiln: Webkiln,
  projectId: string,
  files: readonly LocalFile[],
  onProgress: DeployOptions['onProgress'],
  signal: AbortSignal | undefined,
): Promise<number> {
  const options = { timeout: uploadTimeoutMs, signal };
  const send = async (known: ReadonlySet<string>) => {
    const entries = files.map(({ path: name, sha256, content }) => [
      name,
      known.has(sha256) ? { sha256 } : { content: content.toString('base64'), encoding: 'base64' },
    ]);
    const sent = files.filter(({ sha256 }) => !known.has(sha256)).length;
    const body = new TextEncoder().encode(JSON.stringify({ files: Object.fromEntries(entries) }));
    const report = (sentBytes: number) => onProgress?.({ files: files.length, sent, sentBytes, totalBytes: body.byteLength });
    const where = `/projects/${encodeURIComponent(projectId)}/files`;
    await webkiln.request({ method: 'PUT', path: where, body: () => streamOf(body, report) }, options);
    return sent;
  };
  const draft = await webkiln.projects.listFiles(projectId, options);
  try {
    return await send(new Set(draft.map(({ sha256 }) => sha256)));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'contents_missing') throw error;
    return send(new Set());
  }
}

/** Bytes that are read as fast as they are sent, and reported so. */
function streamOf(bytes: Uint8Array, report: (sentBytes: number) => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      const chunk = bytes.subarray(at, at + chunkBytes);
      at += chunk.byteLength;
      report(at);
      controller.enqueue(chunk);
    },
  });
}
