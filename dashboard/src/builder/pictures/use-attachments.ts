import { useCallback, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import type { Picture } from '../queries.ts';
import { texts } from '../texts.ts';
import { maxPictures, usePictureActions } from './picture-queries.ts';

const t = texts.pictures;

/** A picture that goes with the next message: on its way to the library, or there. */
export interface Attachment {
  readonly key: string;
  readonly name: string;
  /** The part that has arrived, 0 to 1. */
  readonly progress: number;
  readonly picture: Picture | undefined;
  /** What the person says that it shows. */
  readonly alt: string;
  readonly cancel: () => void;
}

/** The pictures that go with the next message. Each is in the library of the project as soon as it has arrived. */
export function useAttachments(projectId: string) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const { upload, describe } = usePictureActions(projectId);

  const change = useCallback((key: string, changes: Partial<Attachment>) => {
    setAttachments((before) => before.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  }, []);
  const remove = useCallback(({ key, cancel }: Attachment) => {
    cancel();
    setAttachments((before) => before.filter((each) => each.key !== key));
  }, []);

  /** One after the other: each is a revision of the draft. */
  async function add(files: readonly File[]) {
    setProblem(files.length > maxPictures - attachments.length ? t.tooMany({ max: maxPictures }) : null);
    const added = files.slice(0, maxPictures - attachments.length).map((file) => {
      const canceling = new AbortController();
      const attachment = {
        key: crypto.randomUUID(),
        name: file.name,
        progress: 0,
        picture: undefined,
        alt: '',
        cancel: () => canceling.abort(),
      };
      return { file, attachment, signal: canceling.signal };
    });
    setAttachments((before) => [...before, ...added.map(({ attachment }) => attachment)]);
    for (const { file, attachment, signal } of added) {
      try {
        const onProgress = (progress: number) => change(attachment.key, { progress });
        const picture = await upload(file, { signal, onProgress });
        change(attachment.key, { picture, progress: 1, alt: picture.alt });
      } catch (error) {
        remove(attachment);
        if (!signal.aborted) setProblem(t.refused({ name: file.name, reason: Problem.of(error).message }));
      }
    }
  }

  /** Attaches pictures that the library has. */
  const attach = useCallback((picture: Picture) => {
    setAttachments((before) => {
      if (before.length >= maxPictures || before.some((each) => each.picture?.id === picture.id)) return before;
      return [...before, { key: picture.id, name: picture.name, progress: 1, picture, alt: picture.alt, cancel: () => {} }];
    });
  }, []);

  /** Empties it, and returns what was there. Descriptions are stored first: they change the draft, as a turn does. */
  async function take(): Promise<readonly Picture[]> {
    const taken = attachments.flatMap(({ picture, alt }) => (picture === undefined ? [] : [{ picture, alt: alt.trim() }]));
    setAttachments([]);
    setProblem(null);
    for (const { picture, alt } of taken) if (alt !== picture.alt) await describe(picture.id, alt).catch(() => undefined);
    return taken.map(({ picture }) => picture);
  }

  return {
    attachments,
    problem,
    isFull: attachments.length >= maxPictures,
    isPending: attachments.some(({ picture }) => picture === undefined),
    add: (files: readonly File[]) => void add(files),
    attach,
    remove,
    describe: ({ key }: Attachment, alt: string) => change(key, { alt }),
    take,
  };
}
