import { processes } from '@webkiln/messages';
import { residentMb } from '../../../bench/cpu.ts';
import { eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { Memory } from '../http/memory.ts';

/** The memory of all our processes while something happens. */
export class ProcessMemory {
  readonly #memories: ReadonlyMap<string, { memory: Memory; pid: number; firstMb: number }>;

  constructor(platform: TestPlatform) {
    const pids = Object.keys(processes).map((name) => [name, platform.pid(name) ?? 0] as const);
    this.#memories = new Map(pids.map(([name, pid]) => [name, { memory: new Memory(pid), pid, firstMb: residentMb(pid) }]));
    // `whenBack` reports a process that has ended.
    for (const { memory } of this.#memories.values()) void memory.watch().catch(() => undefined);
  }

  /** Ends the measuring; returns the process that grew most. */
  stop(): { name: string; mb: number } {
    for (const { memory } of this.#memories.values()) memory.stop();
    const grown = [...this.#memories].map(([name, { memory }]) => ({ name, mb: memory.growthMb }));
    return grown.reduce((most, each) => (each.mb > most.mb ? each : most));
  }

  /**
   * Resolves with the ms until no process holds `maxMb` more than at first; rejects if that takes more than
   * `timeoutMs`.
   */
  async whenBack({ maxMb, timeoutMs }: { maxMb: number; timeoutMs: number }): Promise<number> {
    const since = performance.now();
    await eventually(() => {
      for (const [name, { pid, firstMb }] of this.#memories) {
        const mb = residentMb(pid) - firstMb;
        if (mb > maxMb) throw new Error(`${name} still holds ${mb} MB more than before`);
      }
    }, timeoutMs);
    return performance.now() - since;
  }
}
