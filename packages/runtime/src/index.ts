export { batched, batcher } from './concurrency/batch.ts';
export { Coalescer } from './concurrency/coalescer.ts';
export { FairSlots, type FairSlotsOptions } from './concurrency/fair-slots.ts';
export { Pace } from './concurrency/pace.ts';
export { Semaphore } from './concurrency/semaphore.ts';
export { Turns } from './concurrency/turns.ts';
export type { Run } from './concurrency/watched-run.ts';
export {
  Address,
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
export type { InternalAnswer } from './internal-server.ts';
export { logger, logRequest, nameService } from './logger.ts';
export { counter, gauge, histogram } from './metrics.ts';
export { PollTimer } from './poll-timer.ts';
export { ConfigError, readConfig, secret, secretSettings } from './read-config.ts';
export { Postponed, pause, repeat, retry, within } from './retry.ts';
export { runPeriodically } from './run-periodically.ts';
export { type RunningService, runService } from './run-service.ts';
export { ByteSecrets, type SecretList, TextSecrets } from './secret-list.ts';
export { certificateNames } from './tls/certificate-names.ts';
export { processTls, startTls } from './tls/process-tls.ts';
export { tlsConfig } from './tls/tls-config.ts';
export { type TlsFiles, TlsIdentity } from './tls/tls-identity.ts';
export { currentTraceparent, type SpanOptions, tracing, withSpan } from './tracing.ts';
