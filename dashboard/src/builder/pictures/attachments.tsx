import { useQuery } from '@tanstack/react-query';
import { ImagePlus, Images, X } from 'lucide-react';
import { Button, FileTrigger, Input, TextField } from 'react-aria-components';
import type { Picture } from '../queries.ts';
import { texts } from '../texts.ts';
import { pictureTypes, thumbnailQuery } from './picture-queries.ts';
import type { Attachment, useAttachments } from './use-attachments.ts';

const t = texts.pictures;
const maxAltLength = 300;

/** A picture as large as its place; it is described beside. */
export function Thumbnail({ projectId, picture }: { projectId: string; picture: Picture | undefined }) {
  const { data } = useQuery({ ...thumbnailQuery(projectId, picture ?? { ...nothing }), enabled: picture !== undefined });
  return data === undefined ? <span className="thumbnail" aria-hidden /> : <img className="thumbnail" src={data} alt="" />;
}

const nothing: Picture = { id: '', name: '', alt: '', files: [], used_by: [], created_at: '' };

interface Props {
  readonly projectId: string;
  readonly attached: ReturnType<typeof useAttachments>;
}

/** The pictures that go with the next message; each can be described, and taken out again. */
export function Attachments({ projectId, attached: { attachments, remove, describe } }: Props) {
  return (
    <ul className="attachments" aria-label={t.attached}>
      {attachments.map((attachment) => (
        <li key={attachment.key} className="attachment">
          <Thumbnail projectId={projectId} picture={attachment.picture} />
          {attachment.picture === undefined ? <Arriving {...attachment} /> : <AltField attachment={attachment} onChange={describe} />}
          <Button className="button icon quiet" aria-label={t.detach({ name: attachment.name })} onPress={() => remove(attachment)}>
            <X size={14} aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Arriving({ name, progress }: Attachment) {
  return (
    <span className="attachment-arriving">
      <span className="small">{name}</span>
      {/* Once all of it has arrived, its sizes are made. */}
      <progress aria-label={t.arriving({ name })} {...(progress > 0 && progress < 1 && { value: progress })} />
    </span>
  );
}

function AltField({ attachment, onChange }: { attachment: Attachment; onChange: (attachment: Attachment, alt: string) => void }) {
  return (
    <TextField
      aria-label={t.altOf({ name: attachment.name })}
      value={attachment.alt}
      onChange={(alt) => onChange(attachment, alt)}
      maxLength={maxAltLength}
    >
      <Input className="input" placeholder={t.alt} />
    </TextField>
  );
}

/** The ways to a picture: a file of the device, and the library of the project. */
export function AddPicture({
  onAdd,
  onOpen,
  isDisabled,
}: {
  onAdd: (files: readonly File[]) => void;
  onOpen: () => void;
  isDisabled: boolean;
}) {
  return (
    <>
      <FileTrigger acceptedFileTypes={pictureTypes} allowsMultiple onSelect={(files) => onAdd([...(files ?? [])])}>
        <Button className="button icon quiet" aria-label={t.add} isDisabled={isDisabled}>
          <ImagePlus size={16} aria-hidden />
        </Button>
      </FileTrigger>
      <Button className="button icon quiet" aria-label={t.open} onPress={onOpen}>
        <Images size={16} aria-hidden />
      </Button>
    </>
  );
}
