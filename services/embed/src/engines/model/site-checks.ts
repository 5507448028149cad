import { logger, WorkerPool } from '@webkiln/runtime';
import type { addedForeignCode, checkChange } from '@webkiln/site-check';
import type { CheckCall } from './check-worker.ts';

/** No real site takes as long. A check that does is given up, and its turn goes on. */
const maxCheckMs = 2_000;
const bounds = { threads: 2, maxHeapMb: 128, program: new URL('./check-worker.ts', import.meta.url) };

/** Checks sites in threads, fairly between organizations. The answer is `notChecked` if a check takes too long. */
export class SiteChecks {
  readonly #pool: WorkerPool<CheckCall, unknown>;

  constructor({ timeoutMs = maxCheckMs } = {}) {
    this.#pool = new WorkerPool({ ...bounds, timeoutMs });
  }

  changes = (orgId: string, ...input: Parameters<typeof checkChange>) =>
    this.#run<ReturnType<typeof checkChange>>(orgId, { name: 'checkChange', input });

  foreignCode = (orgId: string, ...input: Parameters<typeof addedForeignCode>) =>
    this.#run<ReturnType<typeof addedForeignCode>>(orgId, { name: 'addedForeignCode', input });

  async #run<Answer>(orgId: string, call: CheckCall): Promise<Answer | typeof notChecked> {
    try {
      return (await this.#pool.run(orgId, call)) as Answer;
    } catch (err) {
      logger.warn({ err, orgId, check: call.name }, 'a site was not checked; its turn goes on');
      return notChecked;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The answer of a check that was given up. */
export const notChecked = Symbol('not checked');
