import { accessSync, constants } from 'node:fs';
import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, Port, rpcClientConfig, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';

const isProgram = (file: string) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Settings of sites, read once from the environment at start. */
export const SitesConfig = z
  .object({
    ...dataServiceConfig,
    ...rpcClientConfig,
    ...addressesOf('sites'),
    ...mailConfig,
    ...quotaConfig(['events', 'form_submissions']),
    HTTP_PORT: Port.describe('The port that the gateway forwards to'),
    ORIGIN: originConfig.ORIGIN,
    SITES_ORIGIN: originConfig.SITES_ORIGIN,
    PREVIEW_ORIGIN: originConfig.PREVIEW_ORIGIN,
    ABUSE_CONTACT: z
      .union([z.email(), z.url({ protocol: /^https$/ })], { error: 'must be a mail address or an https URL' })
      .optional()
      .describe(
        'Where visitors report a site, a mail address or an https URL; pages of sites that are not there or were taken down name it',
      ),
    CHROMIUM_PATH: z
      .string()
      .optional()
      .transform((file) => file || undefined)
      .refine((file) => file === undefined || isProgram(file), { error: 'must be the path of a Chromium that may be run' })
      .describe('The Chromium executable that takes preview images and prints invoices; without it there are none'),
    SCREENSHOT_SANDBOX: z
      .enum(['required', 'preferred'], { error: 'must be required or preferred' })
      .default('required')
      .describe('Whether the Chromium also runs where the system does not allow it namespaces and a sandbox: preferred'),
    SITES_CACHE_MB: wholeNumber(1, 65_536, ' of megabytes')
      .default(64)
      .describe('The size of the cache of files; loads in flight may take as much again'),
    SITES_UNSENT_MB: wholeNumber(1, 65_536, ' of megabytes')
      .default(128)
      .describe('What readers of files over 512 KB may hold in memory; more get 503. Each counts 1 MB'),
    SITES_UNSENT_MB_PER_NETWORK: wholeNumber(1, 65_536, ' of megabytes').default(64).describe('The same for the readers of one network'),
    FORMS_PER_SITE_HOUR: wholeNumber(1, 1_000_000)
      .default(200)
      .describe('How many form submissions a site accepts per hour; spam has its own limit of the same size'),
  })
  .refine(...mailGoesOut);
export type SitesConfig = z.output<typeof SitesConfig>;
