import { addressesOf } from '@webkiln/rpc';
import { baseConfig, originConfig, rpcClientConfig, rpcServerConfig } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of mcp, read from the environment once at start. */
export const McpConfig = z.object({
  ...baseConfig,
  ...rpcServerConfig,
  ...rpcClientConfig,
  ...addressesOf('mcp'),
  ORIGIN: originConfig.ORIGIN,
  DOCS_DIR: z.string().min(1).describe('The folder of the built docs site'),
});
export type McpConfig = z.output<typeof McpConfig>;
