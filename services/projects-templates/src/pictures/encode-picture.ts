import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { AppError, maxMegapixels, maxPictureBytes, pictureType } from '@webkiln/contract';
import { FairSlots, logger, Pace } from '@webkiln/runtime';
import type { EncodedPicture, PictureAnswer, PictureWork } from './picture-worker.ts';

const program = new URL('./picture-worker.ts', import.meta.url);
const maxPixels = maxMegapixels * 1_000_000;
/** A picture of a phone takes a second. */
const maxWorkMs = 15_000;
const maxHeapMb = 128;
/** One picture at a time: it takes up to some 350 MB, and each that waits up to 15 MB. Organizations take turns. */
const bounds = { slots: 1, maxPerKey: 1, maxWaitingPerKey: 4, maxWaiting: 8, maxWaitMs: 12_000 };
const slots = new FairSlots({ ...bounds, refusal: (isOwnFault) => new AppError(isOwnFault ? 'too_many_in_flight' : 'overloaded') });
/** A folder of photos goes through as fast as they are encoded; nobody fills a processor with pictures for minutes. */
const rate = { perSecond: 1, burst: 12 };
const pace = new Pace({ maxWaitMs: 4_000, refusal: () => new AppError('too_many_in_flight') });

const kinds = 'send a JPEG, PNG, WebP or GIF picture';
const sentences = {
  damaged: 'The picture is damaged or incomplete: save it again in a program that shows it, and send that',
  'too many pixels': `The picture has more than ${maxMegapixels} megapixels: send a smaller one`,
  'too large': `The picture has more than ${maxPictureBytes / 1024 ** 2} MB: send a smaller one`,
  'too slow': 'The picture takes too long to read: send a smaller one, or save it as JPEG',
  svg: 'SVG can hold programs and is not taken: save the picture as PNG, and send that',
  heif: 'HEIC and AVIF cannot be read here: save the picture as JPEG, and send that',
  other: `This is no picture that can be read: ${kinds}`,
} as const;

const refused = (why: keyof typeof sentences) => new AppError('picture_refused', [{ path: '', message: sentences[why] }]);

/**
 * The sizes of a picture, encoded anew in a process of its own: no byte of the original is kept. Throws
 * `picture_refused` with what to send instead, and `overloaded` or `too_many_in_flight` if it would wait too long.
 */
export async function encodePicture(orgId: string, content: Uint8Array): Promise<readonly EncodedPicture[]> {
  if (content.byteLength > maxPictureBytes) throw refused('too large');
  const unreadable = whyUnreadable(content);
  if (unreadable !== undefined) throw refused(unreadable);
  await pace.wait(orgId, rate);
  const answer = await slots.run(orgId, () => answerTo({ content, maxPixels }));
  if ('refused' in answer) throw refused(answer.refused);
  return answer.encoded;
}

/** Why the first bytes are not those of a picture that is taken; names and headers say nothing. */
function whyUnreadable(content: Uint8Array): keyof typeof sentences | undefined {
  const start = Buffer.from(content.subarray(0, 1_024)).toString('latin1');
  if (pictureType(content) !== undefined || /^GIF8[79]a/.test(start)) return undefined;
  if (/^[\s\S]{4}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1|avi[fs])/.test(start)) return 'heif';
  return /<svg[\s>]/i.test(start) ? 'svg' : 'other';
}

async function answerTo(work: PictureWork): Promise<PictureAnswer> {
  const child = fork(program, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    env: { MALLOC_ARENA_MAX: '2' },
  });
  // Other requests come first, also those of other services: from its start on, which costs as much as a small picture.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  const tooSlow = AbortSignal.timeout(maxWorkMs);
  try {
    child.send(work, () => {});
    const [answer] = await once(child, 'message', { signal: AbortSignal.any([tooSlow, ended.signal]) });
    return answer as PictureAnswer;
  } catch (err) {
    logger.warn({ err, bytes: work.content.byteLength }, 'a picture was not read; its upload is refused');
    throw refused(tooSlow.aborted ? 'too slow' : 'damaged');
  } finally {
    child.kill('SIGKILL');
  }
}
