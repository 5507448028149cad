import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import { reclaimFiles } from './reclaim-files.ts';

const sweepsInGraceTime = 10;

/** Reclaims files now and then; returns how to stop it. A sweep may be cut off anywhere: the next one, of any replica, goes on. */
export function startReclaiming(graceMs: number): () => void {
  const stopping = new AbortController();
  void sweep(graceMs, stopping.signal);
  return () => stopping.abort();
}

async function sweep(graceMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await pause(graceMs / sweepsInGraceTime, undefined, { signal });
      await reclaimFiles(graceMs);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'files were not reclaimed; the next sweep tries again');
    }
  }
}
