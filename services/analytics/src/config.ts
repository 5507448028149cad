import { Address, baseConfig, eventsConfig, Port, rpcClientConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';

/** What analytics reads from the environment, once, at start. */
export const AnalyticsConfig = z.object({
  ...baseConfig,
  ...storeConfig,
  ...eventsConfig,
  ...rpcServerConfig,
  ...rpcClientConfig,
  PROJECTS_TEMPLATES_ADDRESS: Address,
  HTTP_PORT: Port,
  SITES_ORIGIN: z.url({ protocol: /^https?$/, error: 'must be the address above all sites, as in https://sites.example.com' }),
});
export type AnalyticsConfig = z.output<typeof AnalyticsConfig>;
