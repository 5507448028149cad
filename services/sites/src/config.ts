import { accessSync, constants } from 'node:fs';
import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { addressesOf } from '@webkiln/rpc';
import { baseConfig, eventsConfig, Port, rpcClientConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';

const isProgram = (file: string) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const cacheForm = { error: 'must be a whole number of megabytes, 1 to 65536' };
const quotaForm = { error: 'must be a whole number, 1 to 1000000' };

/** Settings of sites, read once from the environment at start. */
export const SitesConfig = z
  .object({
    ...baseConfig,
    ...storeConfig,
    ...eventsConfig,
    ...rpcServerConfig,
    ...rpcClientConfig,
    ...addressesOf('sites'),
    ...mailConfig,
    HTTP_PORT: Port,
    SITES_ORIGIN: z
      .url({ protocol: /^https?$/, error: 'must be the address above all sites, as in https://sites.example.com' })
      .describe('The parent address of published sites: the host of the site "name" is "name." and this host'),
    PREVIEW_ORIGIN: z.url({ protocol: /^https?$/, error: 'must be the address above all previews, as in https://preview.example.net' }),
    CHROMIUM_PATH: z
      .string()
      .optional()
      .transform((file) => file || undefined)
      .refine((file) => file === undefined || isProgram(file), { error: 'must be the path of a Chromium that may be run' })
      .describe('The Chromium executable that takes preview images; without it there are none'),
    SITES_CACHE_MB: z.coerce.number(cacheForm).int(cacheForm).min(1, cacheForm).max(65_536, cacheForm).default(64),
    FORMS_PER_SITE_HOUR: z.coerce
      .number(quotaForm)
      .int(quotaForm)
      .min(1, quotaForm)
      .max(1_000_000, quotaForm)
      .default(200)
      .describe('How many form submissions a site accepts per hour; spam has its own limit of the same size'),
  })
  .refine(...mailGoesOut);
export type SitesConfig = z.output<typeof SitesConfig>;
