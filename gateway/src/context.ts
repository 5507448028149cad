import { answeredRequests, theBus } from '@webkiln/events/streams';
import { ResponseWriter } from './api/response-writer.ts';
import type { GatewayConfig } from './config.ts';
import { Admission } from './credentials/admission.ts';
import { CredentialUse } from './credentials/credential-use.ts';
import { openCredentialCaches } from './credentials/open-credential-caches.ts';
import { credentialSlots } from './in-flight/limits.ts';
import { UnsentBytes } from './in-flight/unsent-bytes.ts';
import { WritePace } from './in-flight/write-pace.ts';
import { clientAddress } from './proxy/client-address.ts';
import { RateLimiter } from './rate-limit/rate-limiter.ts';
import { ReplicaCount } from './rate-limit/replica-count.ts';
import { SlowedRefusals } from './rate-limit/slowed-refusals.ts';
import { RequestLog } from './request-log/request-log.ts';

export type GatewayContext = ReturnType<typeof openContext>;

/** Opens the parts that all entrances share, so that each limit counts over all. Requires the connection to NATS. */
export function openContext(config: GatewayConfig) {
  const caches = openCredentialCaches();
  const limiter: RateLimiter = new RateLimiter({
    redisUrl: config.REDIS_URL,
    redisTimeoutMs: config.REDIS_TIMEOUT_MS,
    windowMs: config.RATE_WINDOW_MS,
    replicas: () => replicas.alive,
  });
  const replicas = new ReplicaCount(limiter.redis);
  const slowedRefusals = new SlowedRefusals();
  const credentialUse = new CredentialUse();
  const requestStream = answeredRequests(theBus());
  const requestLog = new RequestLog({ publish: (batch) => requestStream.publish(batch) });
  const clientAddressOf = clientAddress(config.TRUSTED_PROXIES);
  const writing = {
    origin: config.ORIGIN,
    windowMs: config.RATE_WINDOW_MS,
    deprecatedAt: config.DEPRECATED_AT,
    sunsetAt: config.SUNSET_AT,
    unsent: new UnsentBytes({ maxPerCredential: config.CREDENTIAL_UNSENT_MB, maxPerNetwork: config.NETWORK_UNSENT_MB }),
    clientAddress: clientAddressOf,
  };
  const admission = new Admission({
    caches,
    credentialUse,
    limiter,
    slowedRefusals,
    quota: config.RATE_LIMIT,
    sessionQuota: config.SESSION_RATE_LIMIT,
    organizationQuota: config.QUOTA_REQUESTS,
    origin: config.ORIGIN,
    clientAddress: clientAddressOf,
  });

  return {
    admission,
    sessions: caches.sessions,
    limiter,
    slowedRefusals,
    requestLog,
    clientAddress: clientAddressOf,
    responses: new ResponseWriter(writing),
    /** Their readers are servers: no page of a browser may read them. */
    serverResponses: new ResponseWriter({ ...writing, forServersOnly: true }),
    slots: credentialSlots(config),
    writePace: new WritePace(config.QUEUE_TIMEOUT_MS),
    async close() {
      await Promise.all([replicas.leave(), credentialUse.close(), requestLog.close()]);
      await limiter.close();
    },
  };
}
