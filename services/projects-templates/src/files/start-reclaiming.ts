import { runPeriodically } from '@webkiln/runtime';
import { reclaimFiles } from './reclaim-files.ts';

const sweepsInGraceTime = 10;

/** Reclaims files now and then; returns how to stop it. A sweep may be cut off anywhere: the next one, of any replica, goes on. */
export const startReclaiming = (graceMs: number): (() => void) =>
  runPeriodically({ everyMs: graceMs / sweepsInGraceTime, failure: 'files were not reclaimed' }, () => reclaimFiles(graceMs));
