import { setTimeout } from 'node:timers/promises';

const retryAfterMs = 500;
/** A provider that asks for a longer pause is not waited for: the person reads when to try again. */
const maxWaitMs = 10_000;
/** Statuses of a provider that is overloaded or restarts: the same request may pass a moment later. */
const passing = new Set([502, 503, 504, 529]);

/** The pause that `Retry-After` asks for, in seconds or as a date; undefined without it. */
export function askedPauseMs(retryAfter: string | null | undefined, now = Date.now()): number | undefined {
  const [text, seconds] = [retryAfter?.trim() ?? '', Number(retryAfter)];
  const pause = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1_000;
  return text === '' || Number.isNaN(pause) ? undefined : Math.max(0, pause);
}

/** How long to wait before the same request may pass; undefined: it will not. */
function pauseBeforeRetry({ status, headers }: Response): number | undefined {
  const asked = askedPauseMs(headers.get('retry-after'));
  if (asked !== undefined && asked > maxWaitMs) return undefined;
  if (passing.has(status)) return Math.max(retryAfterMs, asked ?? 0);
  return status === 429 && asked !== undefined ? Math.max(retryAfterMs, asked) : undefined;
}

/** The provider sent no answer at all. `code` is the system's, such as ECONNREFUSED. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  readonly code: string;

  constructor(cause: unknown) {
    super('the provider cannot be reached', { cause });
    const { code = 'unknown' } = ((cause as { cause?: unknown }).cause ?? {}) as { code?: string };
    this.code = code;
  }
}

/**
 * Sends a request to a provider, once more if it never got an answer or was asked to wait for a moment. Redirects are
 * refused: they would carry the key to another host. Throws `ProviderUnreachable`.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  const attempt = () => fetch(input, { ...init, redirect: 'error' });
  let pauseMs = retryAfterMs;
  try {
    const response = await attempt();
    const asked = pauseBeforeRetry(response);
    if (asked === undefined) return response;
    pauseMs = asked;
    await response.body?.cancel();
  } catch (error) {
    if (init?.signal?.aborted) throw error;
  }
  await setTimeout(pauseMs, undefined, { ...(init?.signal && { signal: init.signal }) });
  return attempt().catch((error: unknown) => {
    throw init?.signal?.aborted ? error : new ProviderUnreachable(error);
  });
};
