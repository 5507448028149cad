import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Makes a PNG (RFC 2083) of one color (`#1a2b3c`), `side` pixels wide and high, with an optional text comment. */
export function png(color: string, side = 64, comment = ''): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: side }, () => Buffer.from(color.slice(1), 'hex'))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const text = comment === '' ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`))];
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), ...text, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** Bytes as the API takes a file. */
export const sent = (content: Buffer) => ({ content: content.toString('base64'), encoding: 'base64' }) as const;

/** A small picture as the API takes it, another one each time. */
export const somePicture = () => sent(png(`#${randomBytes(3).toString('hex')}`, 8));

/** A JPEG as a phone writes it: on its side, with an orientation, and with the place where it was taken. */
export const phonePhoto = (width = 2016, height = 1512): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#a86b32', noise: { type: 'gaussian', mean: 128, sigma: 12 } } })
    .withExif({ IFD0: { Copyright: 'Somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '45/1 45/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();

/** The beginning of a PNG that says to be so large, with the pixels of a small one. */
export function pngOfSize(width: number, height: number): Buffer {
  const small = png('#1a2b3c', 8);
  const header = Buffer.from(small.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([small.subarray(0, 8), chunk('IHDR', header), small.subarray(33)]);
}

/** Adds a picture to a message or to the library of the builder. */
export async function choosePicture(page: Page, name: string, buffer: Buffer, within: Page | Locator = page): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), within.getByRole('button', { name: 'Add a picture' }).click()]);
  await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer });
}
