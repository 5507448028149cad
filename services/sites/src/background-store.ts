import { copyOrgPolicies } from '@webkiln/org-policy';
import { gauge, logger, retry } from '@webkiln/runtime';
import { connectStoreOf, prepareStore } from '@webkiln/store';
import type { SitesConfig } from './config.ts';

const storeRetryDelayMs = 2000;

const storeReady = gauge({
  name: 'site_store_ready',
  help: '1 once the store of forms and preview images is connected and has its indexes',
});

/**
 * Connects and prepares the store in the background, because sites are served without a database. Until MongoDB is
 * reachable, requests for forms and preview images get a 503. If it cannot be used, such as for an index that cannot be
 * made, this goes on trying. Returns a function that gives up.
 */
export function openStoreInBackground(config: SitesConfig, onReady: () => void): () => void {
  const stopping = new AbortController();
  void openStore(config, stopping.signal, onReady).catch((error: unknown) => {
    // A process that stops has given up on its store.
    if (!stopping.signal.aborted) throw error;
  });
  return () => stopping.abort();
}

async function openStore(config: SitesConfig, signal: AbortSignal, onReady: () => void): Promise<void> {
  const onFailure = (err: unknown) =>
    logger.error({ err }, 'the store cannot be used; sites are served, forms and images wait; trying again');
  const keepTrying = (work: () => Promise<void>) => retry(work, { signal, delayMs: storeRetryDelayMs, onFailure });
  await keepTrying(() => connectStoreOf('sites', config));
  signal.throwIfAborted();
  copyOrgPolicies('sites', config);
  await keepTrying(() => prepareStore('sites', config, { signal }));
  signal.throwIfAborted();
  storeReady.set(1);
  onReady();
}
