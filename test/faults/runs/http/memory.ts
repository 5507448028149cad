import { setTimeout as pause } from 'node:timers/promises';
import { residentMb } from '../../../bench/cpu.ts';

const pollIntervalMs = 250;

/** Measures how far the resident memory of a process grows while `watch` runs. */
export class Memory {
  readonly #pid: number;
  readonly #firstMb: number;
  #maxMb: number;
  #stopped = false;

  constructor(pid: number) {
    this.#pid = pid;
    this.#firstMb = residentMb(pid);
    this.#maxMb = this.#firstMb;
  }

  async watch(): Promise<void> {
    while (!this.#stopped) {
      this.#maxMb = Math.max(this.#maxMb, residentMb(this.#pid));
      await pause(pollIntervalMs);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  get growthMb(): number {
    return Math.round(this.#maxMb - this.#firstMb);
  }
}
