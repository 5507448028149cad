import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { FairSlots } from '@webkiln/runtime';
import type { Screenshotter } from './screenshotter.ts';

/** An address of no host: the browser gets every file from us. */
const origin = 'https://document.invalid';
const maxPdfBytes = 2_000_000;

/** A browser takes a core for a second or two: one at a time, and organizations take turns. */
const slots = new FairSlots({
  ...{ slots: 1, maxPerKey: 1, maxWaitingPerKey: 4, maxWaiting: 32, maxWaitMs: 10_000 },
  refusal: () => new AppError('overloaded'),
});

/** Prints the pages that the gateway sends with their files. Without a browser there are no PDFs. */
export const documentUseCases = (browser: Pick<Screenshotter, 'print'> | undefined) => [
  handle('documents.PrintPdf', async ({ files }, caller) => {
    if (browser === undefined) throw new AppError('pdf_not_offered');
    const byUrl = new Map(files.map(({ path, content_type, content }) => [`${origin}${path}`, { content_type, content }]));
    const url = `${origin}${files[0]?.path}`;
    const answer = async (_method: string, wanted: string) => {
      const file = byUrl.get(wanted);
      return file === undefined ? null : { status: 200, headers: ['Content-Type', file.content_type], body: Buffer.from(file.content) };
    };
    const pdf = await slots.run(caller.principal.org_id, () => browser.print({ url, answer }));
    if (pdf.byteLength > maxPdfBytes) throw new AppError('unavailable');
    return { pdf };
  }),
];
