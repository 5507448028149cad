export { clientNetwork } from './client-network.ts';
export {
  Address,
  baseConfig,
  ConfigError,
  eventsConfig,
  Port,
  readConfig,
  rpcClientConfig,
  rpcServerConfig,
  storeConfig,
} from './config.ts';
export { drainHttp } from './drain-http.ts';
export { escapeHtml } from './escape-html.ts';
export { createHttpServer } from './http-server.ts';
export type { InternalAnswer } from './internal-server.ts';
export { logger, logRequest, nameService } from './logger.ts';
export { counter, gauge, histogram } from './metrics.ts';
export { readBytes } from './read-bytes.ts';
export { requestTarget } from './request-target.ts';
export { runPeriodically } from './run-periodically.ts';
export { type RunningService, runService } from './run-service.ts';
export { currentTraceparent, type SpanOptions, tracing, withSpan } from './tracing.ts';
