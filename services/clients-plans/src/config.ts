import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, rpcClientConfig, secret, TextSecrets } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of clients-plans, read from the environment once at start. */
export const ClientsPlansConfig = z
  .object({
    ...dataServiceConfig,
    ...rpcClientConfig,
    ...addressesOf('clients-plans'),
    ...quotaConfig(['events', 'clients']),
    ORIGIN: originConfig.ORIGIN,
    INVITATION_SECRET: TextSecrets.describe('Sign activation links: the first signs, each verifies').meta(secret),
    ...mailConfig,
  })
  .refine(...mailGoesOut);
export type ClientsPlansConfig = z.output<typeof ClientsPlansConfig>;
