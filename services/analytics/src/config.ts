import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, Port, rpcClientConfig, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';
import { defaultPartitions } from './workers/partition.ts';

/** The settings of analytics, read from the environment once at start. */
export const AnalyticsConfig = z.object({
  ...dataServiceConfig,
  ...rpcClientConfig,
  ...addressesOf('analytics'),
  HTTP_PORT: Port.describe('The port that the gateway forwards to'),
  ANALYTICS_ROLE: z
    .enum(['all', 'ingest', 'workers'], { error: 'must be all, ingest or workers' })
    .default('all')
    .describe('The role of this process: it accepts views, counts them, or both'),
  SITES_ORIGIN: originConfig.SITES_ORIGIN,
  ANALYTICS_PARTITIONS: wholeNumber(1, 256)
    .default(defaultPartitions)
    .describe('The number of partitions of sites; must be the same in every process that counts views'),
  VIEWS_STREAM_MB: wholeNumber(1, 1_048_576).default(1024).describe('The maximum size of the stream of accepted views on the disk of NATS'),
  VIEWS_PER_ADDRESS: wholeNumber(50, 1_000_000_000)
    .default(1200)
    .describe('How many views one address may send to one process in a minute'),
});
export type AnalyticsConfig = z.output<typeof AnalyticsConfig>;
