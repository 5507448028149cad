import { setTimeout } from 'node:timers/promises';

const retryAfterMs = 500;
/** Statuses of a provider that is overloaded or restarts: the same request may pass a moment later. */
const passing = new Set([502, 503, 504, 529]);

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
 * Sends a request to a provider, once more if it never got an answer. Redirects are refused: they would carry the key
 * to another host. Throws `ProviderUnreachable`.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  const attempt = () => fetch(input, { ...init, redirect: 'error' });
  try {
    const response = await attempt();
    if (!passing.has(response.status)) return response;
    await response.body?.cancel();
  } catch (error) {
    if (init?.signal?.aborted) throw error;
  }
  await setTimeout(retryAfterMs, undefined, { ...(init?.signal && { signal: init.signal }) });
  return attempt().catch((error: unknown) => {
    throw init?.signal?.aborted ? error : new ProviderUnreachable(error);
  });
};
