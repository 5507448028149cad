import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '@webkiln/contract';
import { type HttpServiceName, httpAddressSetting } from '@webkiln/messages';
import type { GatewayConfig } from '../config.ts';
import { refuse } from '../http-server.ts';
import { proxyLimits } from '../in-flight/limits.ts';
import { HttpProxy } from './http-proxy.ts';

/** The proxies to the services that serve browsers over HTTP. */
export function openProxies(config: GatewayConfig, clientAddress: (request: IncomingMessage) => string) {
  const limits = proxyLimits(config);
  const proxyTo = (service: HttpServiceName, refusal?: (response: ServerResponse, error: AppError) => void) =>
    new HttpProxy({ service, addresses: config[httpAddressSetting(service)], clientAddress, limits, refuse: refusal });
  const identity = proxyTo('identity', refuse);
  const sites = proxyTo('sites');
  const analytics = proxyTo('analytics');
  return {
    identity,
    sites,
    analytics,
    async close() {
      await Promise.all([identity.close(), sites.close(), analytics.close()]);
    },
  };
}
