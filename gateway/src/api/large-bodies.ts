import { AppError } from '@webkiln/contract';
import { logger, WorkerPool } from '@webkiln/runtime';
import type { LargeBody, LargeRequest, Refused } from './large-body-worker.ts';

const threads = { threads: 2, timeoutMs: 20_000, maxHeapMb: 256, program: new URL('./large-body-worker.ts', import.meta.url) };

/** Reads large bodies in threads: parsed on the event loop, one of 40 MB would hold up all requests. */
export class LargeBodies {
  readonly #threads = new WorkerPool<LargeBody, LargeRequest | Refused>(threads);

  /**
   * The encoded RPC request of a body. Throws what `bodyRequest` throws, `validation_failed` for too many values, and
   * `unavailable` if no thread could do it in time.
   */
  async read(orgId: string, body: LargeBody): Promise<LargeRequest> {
    const answer = await this.#threads.run(orgId, body).catch((err: unknown) => {
      logger.error({ err, orgId, operation: body.operation }, 'a large body was not read; its caller is answered 503');
      throw new AppError('unavailable', [], { cause: err });
    });
    if ('code' in answer) throw new AppError(answer.code, answer.details);
    const { payload, idempotency } = answer;
    return { payload: Buffer.from(payload.buffer), idempotency };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
