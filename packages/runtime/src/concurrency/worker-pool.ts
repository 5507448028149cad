import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FairSlots } from './fair-slots.ts';

interface WorkerPoolOptions {
  /** The program of a thread, `…-worker.ts`. It posts a message when it is ready, and then an answer to each. */
  readonly program: URL;
  readonly threads: number;
  /** The time of one piece of work. It does not include waiting for a thread, nor the start of one. */
  readonly timeoutMs: number;
  /** What the objects of one thread may take; the thread ends beyond it. */
  readonly maxHeapMb: number;
}

const maxStartMs = 30_000;
const waitingBounds = { maxWaitingPerKey: 128, maxWaiting: 1_024, maxWaitMs: 20_000 };

/**
 * Does work that takes long in threads, so that the event loop goes on, fairly between keys: of several threads one is
 * always left to others. Threads start with the first work, and stay. One that fails or takes too long is ended, and
 * the next work starts another one.
 */
export class WorkerPool<Work, Answer> {
  readonly #options: WorkerPoolOptions;
  readonly #slots: FairSlots;
  readonly #idle = new Set<Worker>();
  #isClosed = false;
  /** All threads, each with a signal that aborts when it has ended. */
  readonly #all = new Map<Worker, AbortSignal>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const { threads } = options;
    const refusal = () => new Error('no thread was free in time');
    this.#slots = new FairSlots({ ...waitingBounds, slots: threads, maxPerKey: Math.max(1, threads - 1), refusal });
  }

  /** Throws what the program throws, and an error if no thread is free, or answers, in time. `work` is copied. */
  run(key: string, work: Work): Promise<Answer> {
    return this.#slots.run(key, () => this.#run(work));
  }

  async #run(work: Work): Promise<Answer> {
    if (this.#isClosed) throw new Error('the threads have been ended');
    const [idle] = this.#idle;
    const worker = idle ?? this.#start();
    this.#idle.delete(worker);
    worker.ref();
    try {
      if (idle === undefined) await this.#message(worker, maxStartMs);
      worker.postMessage(work);
      const answer = await this.#message(worker, this.#options.timeoutMs);
      worker.unref();
      this.#idle.add(worker);
      return answer as Answer;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /** The next message of a thread. Throws what its program throws, and when it ends or takes too long. */
  async #message(worker: Worker, timeoutMs: number): Promise<unknown> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#all.get(worker) ?? AbortSignal.abort()]);
    const [message] = await once(worker, 'message', { signal });
    return message;
  }

  #start(): Worker {
    const { program, maxHeapMb } = this.#options;
    const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    const ended = new AbortController();
    this.#all.set(worker, ended.signal);
    // Work in progress learns of an error by itself; without work there is nobody to tell.
    worker.on('error', () => {});
    worker.once('exit', () => {
      ended.abort();
      this.#all.delete(worker);
      this.#idle.delete(worker);
    });
    return worker;
  }

  /** Ends the threads. Work in progress and work that waits fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all.keys()].map((worker) => worker.terminate()));
  }
}
