import type { GatewayConfig } from '../config.ts';
import { trustedProxy } from '../proxy/client-address.ts';

/** The settings of the public server's connections. */
export const serverLimits = (config: GatewayConfig) => ({
  maxConnections: config.CONNECTIONS_MAX,
  maxConnectionsPerNetwork: config.NETWORK_CONNECTIONS_MAX,
  isTrustedProxy: trustedProxy(config.TRUSTED_PROXIES),
  stallTimeoutMs: config.STALL_TIMEOUT_MS,
  minBytesPerSecond: config.UPLOAD_MIN_BYTES_PER_S,
  uploadTimeoutMs: config.UPLOAD_TIMEOUT_MS,
});

/** The settings of the proxy to one service. */
export const proxyLimits = (config: GatewayConfig) => ({
  connectionsPerReplica: config.PROXY_CONNECTIONS,
  maxPerNetwork: config.NETWORK_CONCURRENCY,
  maxWaitMs: config.QUEUE_TIMEOUT_MS,
  stallTimeoutMs: config.STALL_TIMEOUT_MS,
});
