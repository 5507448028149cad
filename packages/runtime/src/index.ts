/**
 * The life of a process, and the primitives of concurrent work. Which one to take:
 *
 * | To … | take |
 * |---|---|
 * | make one query of many small ones of an event-loop tick | `batched`, `batcher` |
 * | write the frames of one event-loop tick as one message of a stream | `FrameBatcher` |
 * | let equal reads share one run | `Coalescer` |
 * | keep the work of one key from overlapping | `KeyedMutex` |
 * | bound the work in flight, in order of arrival | `Semaphore` |
 * | bound the work in flight, fairly between keys (organizations, addresses, accounts) | `FairSlots` |
 * | do work that takes long off the event loop, fairly between keys | `WorkerPool` |
 * | bound the starts of a key per second, by delaying them | `Pace` |
 * | repeat one step until it succeeds | `retry` |
 * | work for as long as the process runs; work at intervals | `repeat`; `runPeriodically` |
 */
export { batched, batcher, Coalescer, FrameBatcher, type Sized } from './concurrency/batch.ts';
export { FairSlots, type FairSlotsOptions, Pace } from './concurrency/fair-slots.ts';
export { PollTimer } from './concurrency/poll-timer.ts';
export { KeyedMutex, Semaphore } from './concurrency/semaphore.ts';
export type { Run } from './concurrency/watched-run.ts';
export { WorkerPool } from './concurrency/worker-pool.ts';
export {
  Address,
  atLeast,
  baseConfig,
  dataServiceConfig,
  eventsConfig,
  originConfig,
  Port,
  rpcClientConfig,
  rpcServerConfig,
  storeConfig,
  wholeNumber,
} from './config.ts';
export { growingTo } from './growing-to.ts';
export { logger, logRequest, nameService } from './logger.ts';
export { counter, gauge, histogram, version } from './metrics.ts';
export { ConfigError, checkGiven, readConfig, secret, secretSettings } from './read-config.ts';
export { Postponed, pause, repeat, retry, within } from './retry.ts';
export { runPeriodically } from './run-periodically.ts';
export type { InternalAnswer } from './run-service.ts';
export { type RunningService, runService } from './run-service.ts';
export { ByteSecrets, type SecretList, TextSecrets } from './secret-list.ts';
export { certificateNames, processTls, startTls, type TlsFiles, TlsIdentity, tlsConfig } from './tls.ts';
export { currentTraceparent, type SpanOptions, tracing, withSpan } from './tracing.ts';
