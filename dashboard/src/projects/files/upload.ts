import { api, readJson } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { base64Of, sendWithProgress } from '../../api/send-with-progress.ts';
import type { Picked, SiteFile } from './picked-files.ts';

interface Options {
  /** Ends the upload, which then throws the reason. */
  readonly signal: AbortSignal;
  /** Called with the part that is sent, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Replaces a project's draft by what was picked. Sends only contents that are not there yet. Throws a `Problem`. */
export async function uploadDraft(projectId: string, picked: Picked, options: Options): Promise<void> {
  if ('zip' in picked) return send(projectId, { body: picked.zip, type: 'application/zip' }, options);
  const known = await knownContents(projectId, options.signal);
  try {
    await send(projectId, { body: await bodyOf(picked.files, known, options.signal), type: 'application/json' }, options);
  } catch (error) {
    // The draft was changed meanwhile, so that a content is gone.
    if (Problem.of(error).code !== 'contents_missing') throw error;
    await send(projectId, { body: await bodyOf(picked.files, new Set(), options.signal), type: 'application/json' }, options);
  }
}

/** The SHA-256 of contents that are there already. */
async function knownContents(projectId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const params = { path: { projectId } };
  try {
    const { files } = await readJson(api.GET('/projects/{projectId}/files', { params, signal }));
    return new Set(files.map(({ sha256 }) => sha256));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

async function bodyOf(files: readonly SiteFile[], known: ReadonlySet<string>, signal: AbortSignal): Promise<Blob> {
  const parts: string[] = [];
  for (const { path, file } of files) {
    signal.throwIfAborted();
    const sha256 = known.size === 0 ? undefined : await digestOf(file);
    const sent = sha256 !== undefined && known.has(sha256) ? { sha256 } : { content: await base64Of(file), encoding: 'base64' };
    parts.push(`${JSON.stringify(path)}:${JSON.stringify(sent)}`);
  }
  return new Blob(['{"files":{', parts.join(), '}}']);
}

/** Undefined where the page has no cryptography: at an http address of another machine. */
async function digestOf(file: File): Promise<string | undefined> {
  if (crypto.subtle === undefined) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const send = (
  projectId: string,
  { body, type }: { readonly body: Blob; readonly type: string },
  options: Pick<Options, 'signal' | 'onProgress'>,
): Promise<void> =>
  sendWithProgress({ ...options, method: 'PUT', path: `/projects/${projectId}/files`, headers: { 'Content-Type': type }, body });
