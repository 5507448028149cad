import { Uploads } from '../api/uploads.ts';
import type { GatewayConfig } from '../config.ts';
import { trustedProxy } from '../proxy/client-address.ts';
import { RequestSlots } from './request-slots.ts';

/** How many requests of one credential may wait: more than a key's usual quota, which is so never refused for this. */
const maxWaitingPerCredential = 128;
const maxWaitingRequests = 10_000;

/** Slots of the API by credential. */
export const credentialSlots = (config: GatewayConfig) =>
  new RequestSlots({
    bound: 'api',
    slots: Number.POSITIVE_INFINITY,
    maxPerKey: config.CREDENTIAL_CONCURRENCY,
    maxWaitingPerKey: maxWaitingPerCredential,
    maxWaiting: maxWaitingRequests,
    maxWaitMs: config.QUEUE_TIMEOUT_MS,
  });

/** Slots of the streams of turns, by credential. Nobody waits for one: a stream may take minutes. */
export const streamSlots = (config: GatewayConfig) =>
  new RequestSlots({
    bound: 'streams of turns',
    slots: Number.POSITIVE_INFINITY,
    maxPerKey: config.CREDENTIAL_STREAMS,
    maxWaitingPerKey: 0,
    maxWaiting: 0,
    maxWaitMs: 1,
  });

/** Where large bodies wait until they have arrived. */
export const uploadsOf = (config: GatewayConfig) => new Uploads({ folder: config.UPLOADS_DIR, maxBytes: config.UPLOADS_MB });

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
