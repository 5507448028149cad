import { addressesOf } from '@webkiln/rpc';
import { baseConfig, originConfig, Port, rpcClientConfig, rpcServerConfig, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of mcp, read from the environment once at start. */
export const McpConfig = z.object({
  ...baseConfig,
  ...rpcClientConfig,
  ...addressesOf('mcp'),
  PRINCIPAL_TRUSTED_KEYS: rpcServerConfig.PRINCIPAL_TRUSTED_KEYS,
  HTTP_PORT: Port,
  ORIGIN: originConfig.ORIGIN,
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(10_000).describe('How long a tool may take'),
});
export type McpConfig = z.output<typeof McpConfig>;
