/** `npm start`: the whole platform on this machine, until Ctrl-C. */

import { GatewayConfig, originProblem } from '../gateway/src/config.ts';
import { ConfigError, checkGiven, logger } from '../packages/runtime/src/index.ts';
import { AnalyticsConfig } from '../services/analytics/src/config.ts';
import { ClientsPlansConfig } from '../services/clients-plans/src/config.ts';
import { EmbedConfig } from '../services/embed/src/config.ts';
import { IdentityConfig } from '../services/identity/src/config.ts';
import { McpConfig } from '../services/mcp/src/config.ts';
import { ProjectsTemplatesConfig } from '../services/projects-templates/src/config.ts';
import { SitesConfig } from '../services/sites/src/config.ts';
import { WebhooksConfig } from '../services/webhooks/src/config.ts';
import {
  AlreadyRunning,
  chromium,
  DependencyMissing,
  ensureDemo,
  exampleOriginOf,
  hintAboutNames,
  isOutOfRoom,
  lockDataFolder,
  Platform,
  PortTaken,
  readSettings,
  serveExample,
  supplyProgram,
  terminalReport,
  welcome,
} from '../tools/dev-platform/src/index.ts';

const configs = [
  ...[GatewayConfig, AnalyticsConfig, ClientsPlansConfig, EmbedConfig, IdentityConfig],
  ...[McpConfig, ProjectsTemplatesConfig, SitesConfig, WebhooksConfig],
];

async function start(): Promise<void> {
  logger.level = 'warn'; // a person reads this process's output
  const { dataFolder, port, origin } = readSettings();
  // Before anything starts: each process reads its own settings, and would end the start in the middle.
  checkGiven(configs);
  const problem = originProblem(origin, process.env.ALLOW_PLAIN_HTTP);
  if (problem !== undefined) throw new ConfigError(`The configuration in the environment needs correcting:\n  ORIGIN ${problem}`);
  const release = await lockDataFolder(dataFolder);
  const CHROMIUM_PATH = process.env.CHROMIUM_PATH ?? (await supplyProgram(chromium, terminalReport).catch(withoutBrowser));
  const env = { ...process.env, CHROMIUM_PATH };
  const platform = new Platform({ dataFolder, port, origin, env, report: terminalReport });

  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    terminalReport('webkiln', 'stopping');
    await platform.stop();
    release();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(signal, () => void stop(0));

  const begin = performance.now();
  try {
    const { addresses, origins, sitesOrigin } = await platform.start();
    terminalReport('webkiln', `up after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    const exampleOrigin = await exampleOriginOf(dataFolder);
    const demo = await ensureDemo({
      dataFolder,
      origin,
      loopback: origins[0] ?? origin,
      sitesOrigin,
      addresses,
      secrets: platform.secrets,
      exampleOrigin,
    });
    await serveExample(demo);
    console.log(welcome(demo, dataFolder, await hintAboutNames(demo.site_url === undefined ? [] : [demo.site_url])));
  } catch (error) {
    explain(error);
    return stop(1);
  }
}

/** Everything but pictures and PDFs works without a browser. */
function withoutBrowser(error: unknown): string {
  terminalReport('Chromium', 'none, so projects have no pictures and invoices no PDF');
  console.error(error instanceof DependencyMissing ? error.message : error);
  return '';
}

function explain(error: unknown) {
  if (isOutOfRoom(error)) return console.error(`${(error as Error).message}: the disk is full. Free at least 1 GB there and start again.`);
  const foreseen = [ConfigError, DependencyMissing, PortTaken, AlreadyRunning].some((kind) => error instanceof kind);
  console.error(foreseen ? (error as Error).message : error);
}

try {
  await start();
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
