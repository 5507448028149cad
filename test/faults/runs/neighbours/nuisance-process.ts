import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import type { Nuisance, RunningNuisance, Scene } from './nuisance.ts';
import type { Done, Step } from './nuisance-messages.ts';

/**
 * The nuisance in a process of its own with the lowest priority, as on a stranger's machine: it takes as much of the
 * platform as it gets, and neither the neighbour's event loop nor a core that the platform wants.
 */
export function inOwnProcess(nuisance: Nuisance): Nuisance {
  const child = new NuisanceProcess(nuisance.name);
  return {
    ...nuisance,
    prepare: async (scene) => void (await child.take({ do: 'prepare', scene })),
    start: async (scene) => {
      await child.start(scene);
      return child;
    },
  };
}

class NuisanceProcess implements RunningNuisance {
  /** How often it had done its harm when it had started. */
  attempts = 0;
  readonly #name: string;
  #child: ChildProcess | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async start(scene: Scene): Promise<void> {
    const { attempts = 0 } = await this.take({ do: 'start', scene });
    this.attempts = attempts;
  }

  async stop(): Promise<string> {
    const { did = '' } = await this.take({ do: 'stop' });
    this.#child?.disconnect();
    return did;
  }

  async take(step: Step): Promise<Done> {
    this.#child ??= this.#fork();
    const answer = once(this.#child, 'message');
    this.#child.send(step);
    const [done] = (await Promise.race([answer, this.#exited(this.#child)])) as [Done];
    if (done.error !== undefined) throw new Error(`${this.#name}: ${done.error}`);
    return done;
  }

  #fork(): ChildProcess {
    const child = fork(path.join(import.meta.dirname, 'run-nuisance.ts'), [this.#name], { execArgv: [], detached: true });
    giveLowestPriority(child.pid ?? 0);
    return child;
  }

  async #exited(child: ChildProcess): Promise<never> {
    const [code] = await once(child, 'exit');
    throw new Error(`the process of ${this.#name} ended with ${code}`);
  }
}

/** Linux with automatic groups weighs sessions, and processes only within them: proc_sched_autogroup(5). */
function giveLowestPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group)) writeFileSync(group, String(constants.priority.PRIORITY_LOW));
}
