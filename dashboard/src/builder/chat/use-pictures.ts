import type { FileUIPart } from 'ai';
import { useState } from 'react';
import { texts } from '../texts.ts';
import { imagePart, imageTypes, maxImages } from './attachments.ts';

/** The pictures that go with the next message. */
export function usePictures() {
  const [pictures, setPictures] = useState<readonly FileUIPart[]>([]);
  const [problem, setProblem] = useState<string | null>(null);

  async function add(files: readonly File[]) {
    setProblem(null);
    const images = files.filter(({ type }) => imageTypes.includes(type));
    if (images.length < files.length) setProblem(texts.chat.noPicture);
    const parts = await Promise.all(images.map((file) => imagePart(file).catch(() => null)));
    const readable = parts.filter((part) => part !== null);
    if (readable.length < parts.length) setProblem(texts.chat.noPicture);
    setPictures((before) => {
      if (before.length + readable.length > maxImages) setProblem(texts.chat.tooManyPictures({ max: maxImages }));
      return [...before, ...readable].slice(0, maxImages);
    });
  }

  return {
    pictures,
    problem,
    isFull: pictures.length >= maxImages,
    add: (files: readonly File[]) => void add(files),
    remove: (picture: FileUIPart) => setPictures((before) => before.filter((other) => other !== picture)),
    /** Empties it, and returns what was there. */
    take: () => {
      setPictures([]);
      setProblem(null);
      return [...pictures];
    },
  };
}
