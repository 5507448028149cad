/**
 * The program of the process that reads one picture, and ends. Decoders work on bytes of strangers: what goes wrong in
 * one ends this process, which has no secrets and no connections, and not the service.
 */
import sharp, { type Sharp } from 'sharp';

const widths = [480, 960, 1600];
/** Below what WebP can hold; a taller picture gets narrower. */
const maxHeight = 4_000;
/** What icons and link previews show. */
const maxPlainWidth = 1_200;
const quality = 80;

/** What the service asks for. `sharp` reads other formats too; they stay blocked. */
export interface PictureWork {
  readonly content: Uint8Array;
  readonly maxPixels: number;
}

export interface EncodedPicture {
  readonly width: number;
  readonly height: number;
  readonly format: 'webp' | 'jpeg' | 'png';
  readonly content: Uint8Array;
}

export type PictureAnswer = { readonly encoded: readonly EncodedPicture[] } | { readonly refused: 'damaged' | 'too many pixels' };

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Encodes the sizes, the smallest first: upright, in sRGB, and without metadata. */
async function encode({ content, maxPixels }: PictureWork): Promise<PictureAnswer> {
  const { width, height, hasAlpha } = await sharp(content, { limitInputPixels: false }).metadata();
  if (width * height > maxPixels) return { refused: 'too many pixels' };
  const largest = await sharp(content, { limitInputPixels: maxPixels, failOn: 'error' })
    .autoOrient()
    .resize({ width: Math.max(...widths), height: maxHeight, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: largest.info.width, height: largest.info.height, channels: largest.info.channels };
  const scaled = (to: number) => sharp(largest.data, { raw }).resize({ width: to, withoutEnlargement: true });
  const encoded: EncodedPicture[] = [];
  for (const to of new Set(widths.map((each) => Math.min(each, raw.width)))) {
    encoded.push(await contentOf('webp', scaled(to).webp({ quality })));
  }
  const plain = scaled(Math.min(maxPlainWidth, raw.width));
  encoded.push(
    hasAlpha ? await contentOf('png', plain.png({ palette: true })) : await contentOf('jpeg', plain.jpeg({ quality, progressive: true })),
  );
  return { encoded };
}

async function contentOf(format: EncodedPicture['format'], image: Sharp): Promise<EncodedPicture> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, format, content: data };
}

process.once('disconnect', () => process.exit());
process.once('message', async (work: PictureWork) => {
  const answer = await encode(work).catch((): PictureAnswer => ({ refused: 'damaged' }));
  process.send?.(answer);
});
