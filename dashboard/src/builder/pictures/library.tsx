import { useMutation, useQuery } from '@tanstack/react-query';
import { ImagePlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, DropZone, FileTrigger, Input, Label, TextField } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { Modal } from '../../components/dialogs/modal.tsx';
import { QueryBoundary } from '../../components/feedback/query-boundary.tsx';
import type { Picture } from '../queries.ts';
import { texts } from '../texts.ts';
import { Thumbnail } from './attachments.tsx';
import { picturesQuery, pictureTypes, usePictureActions } from './picture-queries.ts';
import '../../projects/files/files.css';
import './library.css';

const t = texts.pictures;

interface Props {
  readonly projectId: string;
  /** A picture of the preview is to be replaced by the one that is chosen. */
  readonly isReplacing: boolean;
  /** A turn works on the draft: nothing else may change it. */
  readonly isBusy: boolean;
  readonly onChoose: (picture: Picture) => void;
  readonly onClose: () => void;
}

/** The pictures of a project: added, described, used and deleted. */
export function Library({ projectId, isReplacing, isBusy, onChoose, onClose }: Props) {
  const pictures = useQuery(picturesQuery(projectId));
  const { upload } = usePictureActions(projectId);
  const [progress, setProgress] = useState(0);
  const adding = useMutation({
    mutationFn: async (files: readonly File[]) => {
      let last: Picture | undefined;
      for (const file of files) {
        setProgress(0);
        last = await upload(file, { signal: new AbortController().signal, onProgress: setProgress });
      }
      if (isReplacing && last !== undefined) onChoose(last);
    },
  });
  const add = (files: readonly File[]) => files.length > 0 && adding.mutate(files);

  return (
    <Modal
      title={isReplacing ? t.replace : t.library}
      text={isReplacing ? t.replaceText : t.libraryText}
      isOpen
      onOpenChange={onClose}
      isWide
    >
      <DropZone
        className="upload-zone library-add"
        aria-label={t.drop}
        isDisabled={isBusy}
        onDrop={async ({ items }) => add(await Promise.all(items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : []))))}
      >
        {adding.isPending ? (
          <progress aria-label={t.adding} {...(progress > 0 && progress < 1 && { value: progress })} />
        ) : (
          <FileTrigger acceptedFileTypes={pictureTypes} allowsMultiple={!isReplacing} onSelect={(files) => add([...(files ?? [])])}>
            <Button className="button" isDisabled={isBusy}>
              <ImagePlus size={15} aria-hidden />
              {t.add}
            </Button>
          </FileTrigger>
        )}
        <p className="soft small">{isBusy ? t.busy : t.dropText}</p>
      </DropZone>
      {adding.error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(adding.error).message}
        </p>
      )}
      <QueryBoundary query={pictures}>
        {(known) => (
          <ul className="library" aria-label={t.library}>
            {known.map((picture) => (
              <Entry key={picture.id} projectId={projectId} picture={picture} isBusy={isBusy} onChoose={onChoose} />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </Modal>
  );
}

interface EntryProps extends Pick<Props, 'projectId' | 'isBusy' | 'onChoose'> {
  readonly picture: Picture;
}

function Entry({ projectId, picture, isBusy, onChoose }: EntryProps) {
  const [alt, setAlt] = useState(picture.alt);
  const { describe, remove } = usePictureActions(projectId);
  const describing = useMutation({ mutationFn: () => describe(picture.id, alt.trim()) });
  const removing = useMutation({ mutationFn: () => remove(picture.id) });
  const error = describing.error ?? removing.error;
  const isUsed = picture.used_by.length > 0;
  return (
    <li className="library-entry">
      <Thumbnail projectId={projectId} picture={picture} />
      <TextField
        value={alt}
        onChange={setAlt}
        onBlur={() => alt.trim() !== picture.alt && describing.mutate()}
        isDisabled={isBusy}
        maxLength={300}
      >
        <Label>{t.alt}</Label>
        <Input className="input" />
      </TextField>
      <p className="soft small">{isUsed ? usedBy(picture.used_by) : t.unused}</p>
      <div className="actions">
        <Button
          className="button compact"
          aria-label={t.useNamed({ name: picture.name })}
          onPress={() => onChoose(picture)}
          isDisabled={isBusy}
        >
          {t.use}
        </Button>
        {isUsed ? null : (
          <Button
            className="button icon quiet"
            aria-label={t.remove({ name: picture.name })}
            onPress={() => removing.mutate()}
            isDisabled={isBusy || removing.isPending}
          >
            <Trash2 size={14} aria-hidden />
          </Button>
        )}
      </div>
      {error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(error).message}
        </p>
      )}
    </li>
  );
}

const maxNamed = 2;

function usedBy(paths: readonly string[]): string {
  if (paths.length <= maxNamed) return t.usedBy({ paths });
  return t.usedByMore({ paths: paths.slice(0, maxNamed).join(', '), count: paths.length - maxNamed });
}
