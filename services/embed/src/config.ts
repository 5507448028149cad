import { quotaConfig } from '@webkiln/org-policy/settings';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, rpcClientConfig, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';
import { checkModels, modelsConfig } from './providers/provider-config.ts';

/** The settings of embed, read from the environment once at start. */
export const EmbedConfig = z
  .object({
    ...modelsConfig,
    ...dataServiceConfig,
    ...rpcClientConfig,
    ...addressesOf('embed'),
    ...quotaConfig(['events', 'embed_sessions', 'build_links']),
    ORIGIN: originConfig.ORIGIN,
    SIGN_UP_CREDITS: wholeNumber(0, 1_000_000)
      .optional()
      .describe('The credits that an organization begins with; by default 100, or none with MODEL_PROVIDERS'),
  })
  .superRefine(checkModels);
export type EmbedConfig = z.output<typeof EmbedConfig>;

/** Credits that cost the operator money are given on purpose: anybody with a mail address can sign up. */
export const signUpCredits = ({ SIGN_UP_CREDITS, MODEL_PROVIDERS }: Pick<EmbedConfig, 'SIGN_UP_CREDITS' | 'MODEL_PROVIDERS'>): number =>
  SIGN_UP_CREDITS ?? (MODEL_PROVIDERS.length === 0 ? 100 : 0);
