import { Address, baseConfig, eventsConfig, Port, rpcClientConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';

const cacheForm = { error: 'must be a whole number of megabytes, 1 to 65536' };

/** What sites reads from the environment, once, at start. */
export const SitesConfig = z.object({
  ...baseConfig,
  ...storeConfig,
  ...eventsConfig,
  ...rpcServerConfig,
  ...rpcClientConfig,
  PROJECTS_TEMPLATES_ADDRESS: Address,
  HTTP_PORT: Port,
  SITES_ORIGIN: z
    .url({ protocol: /^https?$/, error: 'must be the address above all sites, as in https://sites.example.com' })
    .describe('The site "name" has this address with "name." before its host'),
  PREVIEW_ORIGIN: z.url({ protocol: /^https?$/, error: 'must be the address above all previews, as in https://preview.example.net' }),
  SITES_CACHE_MB: z.coerce.number(cacheForm).int(cacheForm).min(1, cacheForm).max(65_536, cacheForm).default(64),
});
export type SitesConfig = z.output<typeof SitesConfig>;
