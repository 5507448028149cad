import { existsSync, mkdtempSync, realpathSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { Platform, type PlatformOptions } from '@webkiln/dev-platform';
import { Balancer } from './balancer.ts';

export interface TestPlatformOptions {
  /** Number of gateways; 1 by default. */
  readonly gateways?: number;
  /** Number of processes of each other service, or of those that it names; 1 by default. */
  readonly replicas?: PlatformOptions['replicas'];
  /** One address in front of all gateways. */
  readonly balanced?: boolean;
  /** Settings of all processes, such as RATE_LIMIT. */
  readonly env?: NodeJS.ProcessEnv;
  /** Settings of single processes. */
  readonly envOf?: PlatformOptions['envOf'];
  /** Starts MongoDB, NATS and Redis alone. */
  readonly storesOnly?: boolean;
  /** Programs of another release, by the process that runs them; a change applies when the process starts again. */
  readonly otherPrograms?: ReadonlyMap<string, string>;
}

/** Test organizations are all new, and some cause more mails than a new one may. Tests of that limit set their own. */
const manyMails = { QUOTA_MAILS: '1000000', QUOTA_MAILS_NEW: '1000000' };

/** Thousands of people sign up and in: at the default cost, hashing their passwords takes a tenth of a whole run. */
const cheapHashes = { PASSWORD_COST: '10' };

const memoryFolder = '/dev/shm';
/** More than the largest platform stores. */
const minFreeBytes = 4 * 1024 ** 3;

/**
 * Files of a platform are in memory where there is room. Its stores sync each write, which takes milliseconds on a disk
 * of CI and protects what lasts no longer than a test.
 */
function scratchFolder(): string {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return Math.min(bavail * bsize, freemem() / 2) > minFreeBytes ? memoryFolder : tmpdir();
}

/** Starts a platform in a temporary folder. The output of its processes is shown only if the start fails. */
export async function launchPlatform({
  gateways = 1,
  replicas = 1,
  balanced = false,
  env = {},
  envOf,
  storesOnly = false,
  otherPrograms = new Map(),
}: TestPlatformOptions) {
  const folder = realpathSync(mkdtempSync(path.join(scratchFolder(), 'webkiln-test-')));
  const output: string[] = [];
  // Without these settings it starts its own stores, and takes no preview images of the hundreds of published sites.
  const { MONGODB_URL: _mongodb, NATS_URL: _nats, REDIS_URL: _redis, CHROMIUM_PATH: _chromium, ...environment } = process.env;
  const balancer = balanced ? await Balancer.start() : undefined;
  const platform = new Platform({
    dataFolder: folder,
    origin: balancer?.originOf('localhost'),
    gateways,
    replicas,
    otherPrograms,
    ...(storesOnly && { services: [], stores: ['mongodb', 'nats', 'redis'] }),
    env: { ...environment, NODE_ENV: 'production', ...manyMails, ...cheapHashes, ...balancer?.siteOrigins, ...env },
    envOf,
    report: (name, text) => output.push(`${name}: ${text}`),
  });
  try {
    const running = await platform.start();
    balancer?.spreadOver(running.origins);
    const origins = [...(balancer === undefined ? [] : [balancer.originOf('localhost')]), ...running.origins];
    const facts = { ...running, origins, operatorKey: platform.secrets.OPERATOR_SIGNING_KEY, mailFolder: platform.mailFolder, folder };
    return { platform, facts, folder, balancer };
  } catch (error) {
    await platform.stop();
    await balancer?.[Symbol.asyncDispose]();
    throw new Error(`the platform did not start\n${output.join('\n')}`, { cause: error });
  }
}
