import type { Job } from '../job.ts';
import { reading } from './reading.ts';
import { records } from './records.ts';
import { sites } from './sites.ts';

/** The forty jobs. Each can be done alone, and after any others. */
export const jobs: readonly Job[] = [...reading, ...records, ...sites];
