import { setTimeout as pause } from 'node:timers/promises';
import { residentMb } from '../../bench/cpu.ts';

const lookEveryMs = 250;

/** How far the resident memory of a process grows while it is watched. */
export class Memory {
  readonly #pid: number;
  readonly #firstMb: number;
  #mostMb: number;
  #stopped = false;

  constructor(pid: number) {
    this.#pid = pid;
    this.#firstMb = residentMb(pid);
    this.#mostMb = this.#firstMb;
  }

  async watch(): Promise<void> {
    while (!this.#stopped) {
      this.#mostMb = Math.max(this.#mostMb, residentMb(this.#pid));
      await pause(lookEveryMs);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  get growthMb(): number {
    return Math.round(this.#mostMb - this.#firstMb);
  }
}
