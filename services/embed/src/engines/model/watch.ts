import { APICallError } from 'ai';
import { askedPauseMs, ProviderUnreachable } from '../../providers/provider-fetch.ts';

/** Aborts a turn of a model when it is stopped, when the model is silent for too long, or when its time is over. */
export class Watch {
  readonly #abort = new AbortController();
  readonly #stallMs: number;
  readonly #total: NodeJS.Timeout;
  #stall: NodeJS.Timeout | undefined;

  /** `stallMs` and `totalMs`: the longest silence, and the longest turn. */
  constructor({ stallMs, totalMs, stopped }: { readonly stallMs: number; readonly totalMs: number; readonly stopped: AbortSignal }) {
    this.#stallMs = stallMs;
    this.#total = setTimeout(() => this.end(new WatchError('too-long')), totalMs);
    const stop = () => this.end(new WatchError('stopped'));
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop, { once: true, signal: this.#abort.signal });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The model sent something. */
  heard(): void {
    clearTimeout(this.#stall);
    if (!this.signal.aborted) this.#stall = setTimeout(() => this.end(new WatchError('silent')), this.#stallMs);
  }

  /** Aborts with a reason, and stops watching; without one it only stops watching. */
  end(reason?: Error): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#total);
    if (reason !== undefined) this.#abort.abort(reason);
  }
}

/** Why a watch ended a turn. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
  readonly why: 'stopped' | 'silent' | 'too-long' | 'endless';

  constructor(why: WatchError['why']) {
    super(`the turn ended: ${why}`);
    this.why = why;
  }
}

const silence = 'The model has stopped answering. Try again, or choose another model.';

const watched: Readonly<Record<WatchError['why'], string>> = {
  stopped: 'The turn was stopped.',
  silent: silence,
  'too-long': 'The model took too long. Ask for less at once, or choose another model.',
  endless: 'The model wrote without end. Try again, or choose another model.',
};

const unreachable = "The model's provider cannot be reached. Try again in a minute.";
const brokenOff = 'The model broke off in the middle of its answer. Try again, or choose another model.';

const tooLong = /context.?(length|window)|maximum context|too long|too many (input )?tokens|reduce the length/i;
const noMoney = /insufficient_quota|credit balance|billing/i;
const filtered = /content.?(filter|policy|management)|responsible.?ai|data_inspection|moderation/i;
export const refusal = 'The model declines to do this. Say it in other words, or choose another model.';

/** "in 20 seconds", from `Retry-After` in seconds or as a date; "in a minute" without it. */
function when(retryAfter: string | undefined, now: number): string {
  const wait = Math.ceil((askedPauseMs(retryAfter, now) ?? 0) / 1_000);
  if (!(wait > 0 && wait < 86_400)) return 'in a minute';
  if (wait < 90) return `in ${wait} ${wait === 1 ? 'second' : 'seconds'}`;
  return wait < 5_400 ? `in ${Math.ceil(wait / 60)} minutes` : `in ${Math.ceil(wait / 3_600)} hours`;
}

function callSentence({ statusCode: status, responseBody = '', responseHeaders }: APICallError, now: number): string {
  if (status === undefined) return unreachable;
  if (status < 300) return brokenOff;
  if (status === 402 || noMoney.test(responseBody))
    return "The platform's account at the model's provider is used up: tell whoever runs the platform, or choose another model.";
  if (status === 401 || status === 403)
    return "The model's provider refuses the platform's key: tell whoever runs the platform, or choose another model.";
  if (status === 404) return "The model's provider does not know this model: tell whoever runs the platform, or choose another model.";
  if (status === 429) return `The model's provider has too much to do. Try again ${when(responseHeaders?.['retry-after'], now)}.`;
  if (status === 413 || (status === 400 && tooLong.test(responseBody)))
    return 'The message with what was said before and the files read is too long for this model. Ask for one page at a time.';
  if (status === 400 && filtered.test(responseBody)) return refusal;
  if (status >= 400 && status < 500) return "The model's provider does not accept the request. Try other words, or choose another model.";
  return "The model's provider has a problem of its own. Try again in a minute.";
}

/** The sentence for a person about what ended a turn of a model. It holds nothing of what the provider sent. */
export function failureSentence(error: unknown, now = Date.now()): string {
  if (error instanceof WatchError) return watched[error.why];
  if (error instanceof ProviderUnreachable) return unreachable;
  return APICallError.isInstance(error) ? callSentence(error, now) : brokenOff;
}

/** A provider refuses the request itself with these, not the platform: it is too long, or not allowed. */
const refusedRequests: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** True if what the caller asked for made the turn fail; silence and refusals of the platform are the provider's. */
export function isCallersFailure(error: unknown): boolean {
  if (error instanceof WatchError) return error.why !== 'silent';
  return APICallError.isInstance(error) && refusedRequests.has(error.statusCode) && !noMoney.test(error.responseBody ?? '');
}

/** The log's words for a failure: no text of the provider, which may repeat a key or a prompt. */
export const failureFacts = (error: unknown): { error: string; status?: number; code?: string } => ({
  error: error instanceof WatchError ? error.why : error instanceof Error ? error.name : typeof error,
  ...(error instanceof ProviderUnreachable && { code: error.code }),
  ...(APICallError.isInstance(error) && error.statusCode !== undefined && { status: error.statusCode }),
});
