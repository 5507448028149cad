import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileArchive, FolderUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button, DropZone, FileTrigger } from 'react-aria-components';
import { ProblemNotice } from '../../components/feedback/problem-notice.tsx';
import { texts } from '../../texts.ts';
import { chosenFiles, droppedFiles, type Picked } from './picked-files.ts';
import { uploadDraft } from './upload.ts';
import './files.css';

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
