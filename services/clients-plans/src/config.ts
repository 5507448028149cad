import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { addressesOf } from '@webkiln/rpc';
import { baseConfig, eventsConfig, originConfig, rpcClientConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import { quotaConfig } from '@webkiln/standing/settings';
import * as z from 'zod';

/** The settings of clients-plans, read from the environment once at start. */
export const ClientsPlansConfig = z
  .object({
    ...baseConfig,
    ...storeConfig,
    ...eventsConfig,
    ...rpcServerConfig,
    ...rpcClientConfig,
    ...addressesOf('clients-plans'),
    ...quotaConfig(['events', 'clients']),
    ORIGIN: originConfig.ORIGIN,
    INVITATION_SECRET: z
      .string({ error: 'must have at least 32 characters' })
      .min(32, 'must have at least 32 characters')
      .describe('Derives the tokens of activation links; if it changes, existing links stop working'),
    ...mailConfig,
  })
  .refine(...mailGoesOut);
export type ClientsPlansConfig = z.output<typeof ClientsPlansConfig>;
