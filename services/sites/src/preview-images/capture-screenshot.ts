import { setTimeout as pause } from 'node:timers/promises';
import { requestTarget } from '@webkiln/http';
import type { Contents } from '../contents/contents.ts';
import { answerOf } from '../resolutions/answer.ts';
import type { PublishedFile, Site } from '../resolutions/site.ts';
import type { DevTools, PausedRequest } from './devtools.ts';

const width = 1280;
const height = 800;
const maxImageBytes = 1_000_000;
/** The size of the small image, which lists and phones show, and its quality of 100. */
const [smallScale, smallQuality] = [0.75, 75];
/** Lets fonts and transitions finish after the load event. */
const settleMs = 600;

/** The response to a page's request, its header names and values alternating; null fails the request. */
type Answer = { readonly status: number; readonly headers: readonly string[]; readonly body: Buffer } | null;

export interface Scene {
  readonly url: string;
  /** True if the page's scripts run. */
  readonly scripts: boolean;
  /** The page is captured after this time even if it is still loading. */
  readonly loadTimeoutMs: number;
  /** Answers every request of the page, and never rejects. */
  readonly answer: (method: string, url: string) => Promise<Answer>;
}

export interface Screenshot {
  /** PNG, 1280 × 800, or half of that if it exceeds 1 MB. */
  readonly image: Buffer;
  /** WebP, 960 × 600. */
  readonly small: Buffer;
}

/** Captures the first screen of a page. A hostile page can make it hang: the caller sets the time limit. */
export async function captureScreenshot(devtools: DevTools, scene: Scene): Promise<Screenshot> {
  const sessionId = await openPage(devtools, scene);
  const capture = async (scale: number, format: { format: 'png' } | { format: 'webp'; quality: number }) => {
    const clip = { x: 0, y: 0, width, height, scale };
    const { data } = await devtools.send('Page.captureScreenshot', { ...format, clip }, sessionId);
    return Buffer.from(data, 'base64');
  };
  const small = await capture(smallScale, { format: 'webp', quality: smallQuality });
  for (const scale of [1, 0.5]) {
    const image = await capture(scale, { format: 'png' });
    if (image.byteLength <= maxImageBytes) return { image, small };
  }
  throw new Error('the screenshot is too large');
}

/** Prints a page as PDF, on A4 unless its style says otherwise. */
export async function printToPdf(devtools: DevTools, scene: Scene): Promise<Buffer> {
  const sessionId = await openPage(devtools, scene);
  const { data } = await devtools.send('Page.printToPDF', { printBackground: true, preferCSSPageSize: true }, sessionId);
  return Buffer.from(data, 'base64');
}

/** Opens a page and waits until it has loaded. Returns its session. */
async function openPage(devtools: DevTools, { url, scripts, loadTimeoutMs, answer }: Scene): Promise<string> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const loaded = new Promise<void>((resolve) => devtools.on('Page.loadEventFired', () => resolve()));
  devtools.on(
    'Page.javascriptDialogOpening',
    () => void quietly(devtools.send('Page.handleJavaScriptDialog', { accept: false }, sessionId)),
  );
  devtools.on('Fetch.requestPaused', (paused) => void quietly(respond(devtools, paused, answer)));
  // For the whole browser rather than the page: workers send requests, too.
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  await devtools.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  await devtools.send('Page.enable', {}, sessionId);
  await devtools.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }, sessionId);
  await devtools.send('Emulation.setScriptExecutionDisabled', { value: !scripts }, sessionId);
  await devtools.send('Page.navigate', { url }, sessionId);
  await Promise.race([loaded, pause(loadTimeoutMs, undefined, { ref: false })]);
  await pause(settleMs);
  return sessionId;
}

async function respond(devtools: DevTools, { requestId, request, resourceType }: PausedRequest, answer: Scene['answer']): Promise<void> {
  const given = await answer(request.method, request.url);
  if (given === null && resourceType !== 'Document') {
    await devtools.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  // A navigation to anywhere else gets 204 and leaves the page as it is.
  const { status, headers, body } = given ?? { status: 204, headers: [], body: Buffer.alloc(0) };
  const responseHeaders = headers.flatMap((name, at) => (at % 2 === 0 ? { name, value: headers[at + 1] ?? '' } : []));
  await devtools.send('Fetch.fulfillRequest', { requestId, responseCode: status, responseHeaders, body: body.toString('base64') });
}

/** Ignores failures of responses to a page that is gone. */
const quietly = (work: Promise<unknown>) => work.catch(() => undefined);

const maxFiles = 500;
const maxFileBytes = 8 * 1024 * 1024;
const maxBytes = 32 * 1024 * 1024;

/** Answers a page's requests with the files of its own deploy, as visitors get them, within the limits. */
export function answersOf(site: Site, origin: string, contents: Pick<Contents, 'loadAll'>): Scene['answer'] {
  let filesLeft = maxFiles;
  let bytesLeft = maxBytes;

  const send = async (file: PublishedFile, status: number): Promise<Answer> => {
    const representation = file.representation('');
    filesLeft -= 1;
    bytesLeft -= representation.maxBytes;
    if (filesLeft < 0 || bytesLeft < 0 || representation.maxBytes > maxFileBytes) return null;
    const body = await contents.loadAll(representation);
    return { status, headers: [...representation.headers, ...representation.contentHeaders], body };
  };

  return async (method, url) => {
    if (method !== 'GET' || !url.startsWith(`${origin}/`)) return null;
    const target = requestTarget(url.slice(origin.length));
    const found = target && answerOf(site, new URL(origin).host, target).answer;
    if (found === undefined) return null;
    if ('location' in found) return { status: found.status, headers: ['Location', found.location], body: nothing };
    return send(found.file, found.status);
  };
}

const nothing = Buffer.alloc(0);
