import type { FileUIPart } from 'ai';

/** As `POST …/chat` takes them. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
export const maxImages = 4;
/** Larger pictures tell a model nothing more, and four must fit into one message. */
const maxSide = 1568;
const maxBytes = 1_500_000;
const quality = 0.85;

/** A picture of the person as a part of a message; scaled down if it is large. */
export async function imagePart(file: File): Promise<FileUIPart> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const blob = scale === 1 && file.size <= maxBytes ? file : await scaled(bitmap, scale);
  bitmap.close();
  return { type: 'file', mediaType: blob.type, filename: file.name, url: await dataUrl(blob) };
}

async function scaled(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/webp', quality });
}

function dataUrl(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
  return promise;
}

/** The pictures of a message in the API's form. */
export const attachmentsOf = (parts: readonly { readonly type: string }[]) =>
  parts
    .filter((part): part is FileUIPart => part.type === 'file')
    .map(({ mediaType, url }) => ({ media_type: mediaType, data: url.slice(url.indexOf(',') + 1) }));
