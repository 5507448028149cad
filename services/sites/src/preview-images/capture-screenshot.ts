import { setTimeout as pause } from 'node:timers/promises';
import type { DevTools, PausedRequest } from './devtools.ts';

const width = 1280;
const height = 800;
const bytesMost = 1_000_000;
/** For what begins when everything is there: fonts, fades. */
const settledAfterMs = 600;

/** What a page gets for a request: a response, its headers' names and values in turn; or null, which is an error to it. */
export type Answer = { readonly status: number; readonly headers: readonly string[]; readonly body: Buffer } | null;

export interface Scene {
  readonly url: string;
  /** Whether the page's scripts run. */
  readonly scripts: boolean;
  /** How long the page may load: then the picture is of what is there. */
  readonly loadedWithinMs: number;
  /** Answers every request of the page, and never rejects. */
  readonly answer: (method: string, url: string) => Promise<Answer>;
}

/** A PNG of the first screen of a page, 1280 x 800, or smaller where that would exceed 1 MB. A hostile page makes it hang: bound it. */
export async function photograph(devtools: DevTools, { url, scripts, loadedWithinMs, answer }: Scene): Promise<Buffer> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const loaded = new Promise<void>((resolve) => devtools.on('Page.loadEventFired', () => resolve()));
  devtools.on(
    'Page.javascriptDialogOpening',
    () => void quietly(devtools.send('Page.handleJavaScriptDialog', { accept: false }, sessionId)),
  );
  devtools.on('Fetch.requestPaused', (paused) => void quietly(respond(devtools, paused, answer)));
  // Of the whole browser, not of the page alone: workers ask, too.
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  await devtools.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  await devtools.send('Page.enable', {}, sessionId);
  await devtools.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }, sessionId);
  await devtools.send('Emulation.setScriptExecutionDisabled', { value: !scripts }, sessionId);
  await devtools.send('Page.navigate', { url }, sessionId);
  await Promise.race([loaded, pause(loadedWithinMs, undefined, { ref: false })]);
  await pause(settledAfterMs);
  for (const scale of [1, 0.5]) {
    const clip = { x: 0, y: 0, width, height, scale };
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', clip }, sessionId);
    const image = Buffer.from(data, 'base64');
    if (image.byteLength <= bytesMost) return image;
  }
  throw new Error('the picture is too large');
}

async function respond(devtools: DevTools, { requestId, request, resourceType }: PausedRequest, answer: Scene['answer']): Promise<void> {
  const given = await answer(request.method, request.url);
  if (given === null && resourceType !== 'Document') {
    await devtools.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  // A page that leads elsewhere stays where it is.
  const { status, headers, body } = given ?? { status: 204, headers: [], body: Buffer.alloc(0) };
  const responseHeaders = headers.flatMap((name, at) => (at % 2 === 0 ? { name, value: headers[at + 1] ?? '' } : []));
  await devtools.send('Fetch.fulfillRequest', { requestId, responseCode: status, responseHeaders, body: body.toString('base64') });
}

/** What failed because the page is gone meanwhile needs no answer. */
const quietly = (work: Promise<unknown>) => work.catch(() => undefined);
