import type { FileUIPart } from 'ai';
import { ImagePlus, X } from 'lucide-react';
import { Button, FileTrigger } from 'react-aria-components';
import { texts } from '../texts.ts';
import { imageTypes } from './attachments.ts';

const t = texts.chat;

/** The pictures that go with the next message; each can be taken out again. */
export function Pictures({ pictures, onRemove }: { pictures: readonly FileUIPart[]; onRemove: (picture: FileUIPart) => void }) {
  return (
    <fieldset className="pictures" aria-label={t.pictures}>
      {pictures.map((picture) => (
        <span key={picture.url} className="chip">
          <span>{picture.filename ?? t.picture}</span>
          <Button
            className="button icon quiet"
            aria-label={t.removePicture({ name: picture.filename ?? t.picture })}
            onPress={() => onRemove(picture)}
          >
            <X size={13} aria-hidden />
          </Button>
        </span>
      ))}
    </fieldset>
  );
}

export function AddPicture({ onAdd, isDisabled }: { onAdd: (files: readonly File[]) => void; isDisabled: boolean }) {
  return (
    <FileTrigger acceptedFileTypes={imageTypes} allowsMultiple onSelect={(files) => onAdd([...(files ?? [])])}>
      <Button className="button icon quiet" aria-label={t.addPicture} isDisabled={isDisabled}>
        <ImagePlus size={16} aria-hidden />
      </Button>
    </FileTrigger>
  );
}
