import { baseConfig, eventsConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';

const leastPepperBytes = 32;

/** What identity reads from the environment, once, at start. */
export const IdentityConfig = z.object({
  ...baseConfig,
  ...storeConfig,
  ...eventsConfig,
  ...rpcServerConfig,
  KEY_PEPPER: z
    .base64('must be base64')
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((pepper) => pepper.length >= leastPepperBytes, `must be base64 of at least ${leastPepperBytes} bytes`)
    .describe('Without it no stored API key can be checked: keep it as safe as the database, and apart from it'),
});
export type IdentityConfig = z.output<typeof IdentityConfig>;
