/**
 * `under-load.ts COMMAND…` runs shell commands one after another while the platform of WEBKILN_TEST_PLATFORM gets 100
 * requests per second over kept-alive connections. Exits 1 if a command or a request fails.
 */
import { spawn } from 'node:child_process';
import { closePeers } from '@webkiln/rpc';
import { type RestartedPlatform, restartEach } from '../faults/runs/outages/rolling-restart.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const commands = process.argv.slice(2);
const platform: RestartedPlatform = {
  facts: sharedPlatform(),
  // The cluster's own service chooses among ready gateways.
  isReady: async () => true,
  replace: run,
};

function run(command: string): Promise<void> {
  console.log(`$ ${command}`);
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} failed`))));
  });
}

const { figure, failures } = await restartEach(platform, { rounds: 1, restarted: commands, concurrentTurns: 0 });
await closePeers();
console.log(figure);
for (const failure of failures) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
