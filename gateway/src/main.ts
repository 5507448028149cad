import type { AddressInfo } from 'node:net';
import { sessionCookie } from '@webkiln/contract';
import { closeEvents, connectEvents, eventsOptions } from '@webkiln/events/listening';
import { clientAddress, clientIp, drainHttp, trustedProxy, wideNetworks } from '@webkiln/http';
import { closePeers, connectPeersOf, peerState } from '@webkiln/rpc';
import { logger, type RunningService, runService } from '@webkiln/runtime';
import { slowRefusedForms, UnknownNames } from './admission/quotas.ts';
import { openRateLimiter } from './admission/rate-limiter.ts';
import { GatewayConfig } from './config.ts';
import { createHandlers } from './handlers.ts';
import { createHttpServer } from './http-server.ts';
import type { SignIn } from './pages/pages.ts';
import { dispatchByHost, openCustomDomains } from './proxy/dispatch-by-host.ts';
import { withPlainCookies } from './proxy/plain-cookies.ts';
import { type HttpProxy, openProxies } from './proxy/proxy.ts';

async function start(config: GatewayConfig): Promise<RunningService> {
  await connectEvents(config.NATS_URL, 'gateway', eventsOptions(config));
  connectPeersOf('gateway', config);

  for (const network of wideNetworks(config.TRUSTED_PROXIES))
    logger.warn({ network }, 'TRUSTED_PROXIES believes all of a wide network: whoever calls from there chooses its address');
  const clientAddressOf = clientAddress(config.TRUSTED_PROXIES);
  const { limiter, close: closeLimiter } = openRateLimiter(config);
  const unknownNames = new UnknownNames(limiter, config.RATE_LIMIT);
  const proxies = openProxies(config, clientAddressOf, unknownNames);
  const outside = {
    identity: proxies.identity.handle,
    signIn: signInAt(proxies.identity),
    clientAddress: clientAddressOf,
    clientIp: clientIp(config.TRUSTED_PROXIES),
    limiter,
  };
  const handlers = createHandlers(config, outside);
  const domains = {
    sites: new URL(config.SITES_ORIGIN).hostname,
    previews: new URL(config.PREVIEW_ORIGIN).hostname,
    origin: new URL(config.ORIGIN).hostname,
    aliases: config.ORIGIN_ALIASES,
  };
  const destinations = {
    sites: slowRefusedForms(handlers.slowedRefusals, proxies.sites.handle),
    analytics: proxies.analytics.handle,
    origin: config.ORIGIN.startsWith('http:') ? withPlainCookies(handlers.origin) : handlers.origin,
    mcp: handlers.mcp,
  };
  const dispatch = dispatchByHost(domains, openCustomDomains(), destinations, {
    isRefused: (request) => unknownNames.isRefused(clientAddressOf(request)),
    count: (request) => unknownNames.count(clientAddressOf(request)),
  });
  const server = createHttpServer(dispatch, {
    maxConnections: config.CONNECTIONS_MAX,
    maxConnectionsPerNetwork: config.NETWORK_CONNECTIONS_MAX,
    isTrustedProxy: trustedProxy(config.TRUSTED_PROXIES),
    stallTimeoutMs: config.STALL_TIMEOUT_MS,
    minBytesPerSecond: config.UPLOAD_MIN_BYTES_PER_S,
    uploadTimeoutMs: config.UPLOAD_TIMEOUT_MS,
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, resolve));

  return {
    ports: { http: (server.address() as AddressInfo).port },
    checks: { identity: () => assertReachable('identity') },
    async stop() {
      await drainHttp(server, () => handlers.closeStreams());
      await proxies.close();
      await handlers.close();
      await closeLimiter();
      await closePeers();
      await closeEvents();
    },
  };
}

/**
 * Identity refuses forms of other origins, which could sign a person in to an account that is not theirs. A session
 * that still waits for its second factor is none. The sign-in page is the way in then, or while identity is away.
 */
const signInAt =
  (identity: HttpProxy): SignIn =>
  async (client, body) => {
    try {
      const { status, cookies } = await identity.post({ client, path: '/api/auth/sign-in/email', body });
      return status === 200 && cookies.some((cookie) => cookie.startsWith(`${sessionCookie}=`)) ? cookies : [];
    } catch (err) {
      logger.warn({ err }, 'a client was activated and not signed in; it is asked to do so itself');
      return [];
    }
  };

function assertReachable(service: 'identity'): void {
  if (peerState(service) !== 'ready') throw new Error(`${service} is unreachable`);
}

await runService('gateway', GatewayConfig, start);
