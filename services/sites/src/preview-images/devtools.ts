import type { Readable, Writable } from 'node:stream';

/** Largest accepted message. A screenshot of 1280 × 800 pixels in base64 has at most 6 MB. */
const maxMessageBytes = 16 * 1024 * 1024;
const messageEnd = 0;

/** The commands in use: parameters and result. */
interface Commands {
  'Browser.getVersion': [object, unknown];
  'Browser.setDownloadBehavior': [{ behavior: 'deny' }, unknown];
  'Emulation.setDeviceMetricsOverride': [{ width: number; height: number; deviceScaleFactor: number; mobile: boolean }, unknown];
  'Emulation.setScriptExecutionDisabled': [{ value: boolean }, unknown];
  'Fetch.enable': [{ patterns: { urlPattern: string }[] }, unknown];
  'Fetch.failRequest': [{ requestId: string; errorReason: 'BlockedByClient' }, unknown];
  'Fetch.fulfillRequest': [
    { requestId: string; responseCode: number; responseHeaders: { name: string; value: string }[]; body?: string },
    unknown,
  ];
  'Page.captureScreenshot': [
    { format: 'png' | 'webp'; quality?: number; clip: { x: number; y: number; width: number; height: number; scale: number } },
    { data: string },
  ];
  'Page.enable': [object, unknown];
  'Page.handleJavaScriptDialog': [{ accept: boolean }, unknown];
  'Page.printToPDF': [{ printBackground: boolean; preferCSSPageSize: boolean }, { data: string }];
  'Page.navigate': [{ url: string }, { errorText?: string }];
  'Target.attachToTarget': [{ targetId: string; flatten: true }, { sessionId: string }];
  'Target.createTarget': [{ url: string }, { targetId: string }];
}

/** A request of the page, paused until it is fulfilled or failed. */
export interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly method: string };
  readonly resourceType: string;
}

interface DevToolsEvents {
  'Fetch.requestPaused': PausedRequest;
  'Page.javascriptDialogOpening': object;
  'Page.loadEventFired': object;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: unknown;
}

/**
 * The Chrome DevTools Protocol over two pipes: JSON texts, each ended by NUL. Larger messages than the limit are
 * dropped, so that a hostile page cannot fill our memory. Callers set the time limit: a dead browser never answers.
 */
export class DevTools {
  readonly #output: Writable;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (params: never) => void>();
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #lastId = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    output.on('error', () => undefined); // the browser is gone
    input.on('data', (chunk: Buffer) => this.#take(chunk)).on('error', () => undefined);
  }

  /** Sends a command. Rejects with the browser's error message. */
  send<C extends keyof Commands>(method: C, params: Commands[C][0], sessionId?: string): Promise<Commands[C][1]> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer.promise as Promise<Commands[C][1]>;
  }

  on<E extends keyof DevToolsEvents>(event: E, listener: (params: DevToolsEvents[E]) => void): void {
    this.#listeners.set(event, listener);
  }

  #take(chunk: Buffer): void {
    let begin = 0;
    for (let end = chunk.indexOf(messageEnd); end !== -1; end = chunk.indexOf(messageEnd, begin)) {
      this.#received.push(chunk.subarray(begin, end));
      const text = Buffer.concat(this.#received).toString();
      this.#received = [];
      this.#receivedBytes = 0;
      begin = end + 1;
      this.#handle(JSON.parse(text));
    }
    this.#receivedBytes += chunk.byteLength - begin;
    if (this.#receivedBytes <= maxMessageBytes) this.#received.push(chunk.subarray(begin));
    else this.#received = [];
  }

  #handle({ id, result, error, method, params }: Message): void {
    if (id === undefined) return void this.#listeners.get(method ?? '')?.(params as never);
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}
