import './files.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileArchive, FolderUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button, DropZone, FileTrigger } from 'react-aria-components';
import { api, readJson } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { base64Of, sendWithProgress } from '../../api/send-with-progress.ts';
import { ProblemNotice } from '../../components/feedback/problem-notice.tsx';
import { texts } from '../../texts.ts';
import { chosenFiles, droppedFiles, type Picked, type SiteFile } from './picked-files.ts';

interface Options {
  /** Ends the upload, which then throws the reason. */
  readonly signal: AbortSignal;
  /** Called with the part that is sent, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Replaces a project's draft by what was picked. Sends only contents that are not there yet. Throws a `Problem`. */
async function uploadDraft(projectId: string, picked: Picked, options: Options): Promise<void> {
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

const t = texts.files;
const isCanceled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

/** Takes a folder or a zip, dropped or chosen, as the draft of a project. */
export function UploadZone({ projectId, onUploaded }: { projectId: string; onUploaded?: () => void }) {
  const queryClient = useQueryClient();
  const [part, setPart] = useState(0);
  const canceling = useRef<AbortController>(null);

  const upload = useMutation({
    mutationFn: async (pick: () => Picked | Promise<Picked>) => {
      canceling.current = new AbortController();
      const { signal } = canceling.current;
      setPart(0);
      await uploadDraft(projectId, await pick(), { signal, onProgress: setPart });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
      onUploaded?.();
    },
  });
  function choose(list: FileList | null) {
    const files = [...(list ?? [])];
    if (files.length > 0) upload.mutate(() => chosenFiles(files));
  }
  const { isPending, isSuccess, error, variables } = upload;

  if (isPending) {
    return (
      <div className="upload-zone">
        <progress className="upload-progress" aria-label={t.uploading} {...(part === 0 ? {} : { value: part })} />
        <p className="soft small" role="status">
          {part < 1 ? t.uploading : t.storing}
        </p>
        {/* Once all of it has arrived, it may be stored already. */}
        {part < 1 ? (
          <Button className="button compact" onPress={() => canceling.current?.abort()}>
            {texts.actions.cancel}
          </Button>
        ) : null}
      </div>
    );
  }
  return (
    <DropZone
      className="upload-zone"
      getDropOperation={() => 'copy'}
      onDrop={({ items }) => upload.mutate(() => droppedFiles(items))}
      aria-label={t.drop}
    >
      <p>{t.drop}</p>
      <p className="soft small">{t.dropText}</p>
      <div className="actions">
        <FileTrigger acceptDirectory onSelect={choose}>
          <Button className="button">
            <FolderUp size={15} aria-hidden />
            {t.chooseFolder}
          </Button>
        </FileTrigger>
        <FileTrigger acceptedFileTypes={['.zip', 'application/zip']} onSelect={choose}>
          <Button className="button">
            <FileArchive size={15} aria-hidden />
            {t.chooseZip}
          </Button>
        </FileTrigger>
      </div>
      {isSuccess ? (
        <p className="small" role="status">
          {t.uploaded}
        </p>
      ) : null}
      {error === null || variables === undefined ? null : (
        <div className="upload-problem">
          {isCanceled(error) ? <p role="status">{t.canceled}</p> : <ProblemNotice error={error} />}
          <Button className="button compact" onPress={() => upload.mutate(variables)}>
            {texts.actions.retry}
          </Button>
        </div>
      )}
    </DropZone>
  );
}
