import { mkdirSync, realpathSync } from 'node:fs';
import { addressSetting, httpAddressSetting, httpServiceNames, rpcServiceNames } from '@webkiln/messages';
import { Address, eventsConfig, originConfig, Port, readConfig, storeConfig } from '@webkiln/runtime';
import * as z from 'zod';

const addressSettings = [...rpcServiceNames.map(addressSetting), ...httpServiceNames.map(httpAddressSetting)];

/** The environment variables of the development platform. Each process also reads and checks its own. */
const Settings = z.object({
  PORT: Port.default(8080),
  ORIGIN: originConfig.ORIGIN.optional(),
  SITES_ORIGIN: originConfig.SITES_ORIGIN.optional(),
  PREVIEW_ORIGIN: originConfig.PREVIEW_ORIGIN.optional(),
  DATA_DIR: z.string().default('.data'),
  MONGODB_URL: storeConfig.MONGODB_URL.optional(),
  NATS_URL: eventsConfig.NATS_URL.optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
  ...Object.fromEntries(addressSettings.map((setting) => [setting, Address.optional()])),
});

export interface Settings {
  readonly port: number;
  readonly origin: string;
  /** An absolute path that exists. */
  readonly dataFolder: string;
}

/** Creates the data folder. Throws `ConfigError`, which names each invalid variable. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const { PORT, ORIGIN, DATA_DIR } = readConfig(Settings, env);
  mkdirSync(DATA_DIR, { recursive: true });
  return { port: PORT, origin: new URL(ORIGIN ?? `http://localhost:${PORT}`).origin, dataFolder: realpathSync(DATA_DIR) };
}
