import type { Scene } from './nuisance.ts';

/** What the process of a nuisance is told to do, one after the other. */
export type Step = { readonly do: 'prepare' | 'start'; readonly scene: Scene } | { readonly do: 'stop' };

/** Its answer to each step: `attempts` comes with that to "start", `did` with that to "stop". */
export interface Done {
  readonly error?: string;
  readonly did?: string;
  readonly attempts?: number;
}
